"""Nothing asks a metadata address unless PROPSYNC_STORAGE_IDENTITY says so: proved where there is no other network."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from kit.needs import skip_without
from kit.programs import PROGRAM, environment
from variants import daily, slow

METADATA = Path(__file__).with_name("metadata.py")
KEYS = {"AWS_ACCESS_KEY_ID": "propsync-tests", "AWS_SECRET_ACCESS_KEY": "the-secret-of-the-tests"}
AZURE_KEYS = {"AZURE_STORAGE_ACCOUNT_NAME": "one", "AZURE_STORAGE_ACCOUNT_KEY": "bm90IGEga2V5"}
LOOK = """
from datetime import timedelta
from propsync.settings import load_settings
from propsync.storage.objects import ObjectStorage
retry = {"max_retries": 1, "retry_timeout": timedelta(seconds=2)}
storage = ObjectStorage(load_settings().storage(), retry, 1)
try:
    storage.exists("a")
except Exception as error:
    print(type(error).__name__)
"""


@dataclass(frozen=True)
class Seen:
    """A command's exit code, its output, and the requests that the metadata address got."""

    code: int
    printed: str
    asked: list[str]


@pytest.fixture(scope="module")
def alone() -> list[str]:
    """The words before a command that give it a network of its own."""
    skip_without("unshare")
    for words in (["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"]):
        if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
            return words
    pytest.skip("this machine lets nobody but root make a network: run the tests as root")


def run(alone: list[str], home: Path, *command: str, **variables: str) -> Seen:
    settings = {
        "PROPSYNC_HOME": str(home),
        "PROPSYNC_BASE_URL": "http://127.0.0.1:1",
        "PROPSYNC_TOKEN": "tok-en-of-tests",
    }
    done = subprocess.run(
        [*alone, sys.executable, str(METADATA), *command],
        env=environment(HOME=str(home), **settings, **variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    printed, _, asked = done.stdout.rstrip().rpartition("\n")
    return Seen(done.returncode, printed + done.stderr, json.loads(asked))


@pytest.mark.parametrize(
    ("url", "variables"),
    daily(
        [
            ("s3://bucket/home", {}),
            ("s3://bucket/home", {"AWS_ACCESS_KEY_ID": "one"}),
            ("s3://bucket/home", {"AWS_SECRET_ACCESS_KEY": "a-secret-alone", "AWS_PROFILE": "nobody"}),
            ("az://bucket/home", {"AZURE_STORAGE_ACCOUNT_NAME": "one"}),
            ("az://bucket/home", {"AZURE_STORAGE_ACCOUNT_NAME": "one", "AZURE_CLIENT_ID": "id"}),
        ],
        1,
        is_row=True,
    ),
)
def test_credentials_that_are_not_whole_end_a_sync_before_any_request(
    alone: list[str], tmp_path: Path, url: str, variables: dict[str, str]
):
    seen = run(alone, tmp_path, PROGRAM, "sync", PROPSYNC_STORAGE_URL=url, **variables)
    assert (seen.code, seen.asked) == (2, []), seen.printed
    assert "PROPSYNC_STORAGE_URL: it has no whole credentials. Set A" in seen.printed


@pytest.mark.parametrize(
    ("url", "variables"),
    daily([("az://bucket/home", AZURE_KEYS), ("s3://bucket/home", KEYS)], 1, is_row=True),
)
def test_whole_credentials_ask_the_bucket_alone(alone: list[str], tmp_path: Path, url: str, variables: dict[str, str]):
    seen = run(alone, tmp_path, sys.executable, "-c", LOOK, PROPSYNC_STORAGE_URL=url, **variables)
    assert (seen.code, seen.printed, seen.asked) == (0, "StorageAway\n", [])


@pytest.mark.parametrize("url", ["s3://bucket/home", *slow("az://bucket/home")])
def test_the_identity_of_the_machine_asks_its_metadata(alone: list[str], tmp_path: Path, url: str):
    variables = {"PROPSYNC_STORAGE_IDENTITY": "instance", "AZURE_STORAGE_ACCOUNT_NAME": "one"}
    seen = run(alone, tmp_path, sys.executable, "-c", LOOK, PROPSYNC_STORAGE_URL=url, **variables)
    assert seen.asked, seen.printed
