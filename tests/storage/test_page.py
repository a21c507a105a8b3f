"""docs/adding-a-storage.md is true: its verbs and errors are those of the code, and its command runs the contract."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest
from faces.pages import PAGES, ROOT
from kit.programs import environment
from kit.stores import BUCKET, Stores

from propsync import errors
from propsync.storage import Storage

PAGE = PAGES["adding-a-storage.md"]


def test_the_page_names_each_verb_and_each_file():
    verbs = {name for name in vars(Storage) if not name.startswith("_")}
    promised = PAGE.text.partition("## The promises")[2].partition("A missing file")[0]
    assert verbs <= set(re.findall(r"`(\w+)\(", promised))
    for name in ("StorageRefused", "StorageUnfit", "StorageAway", "DiskFull", "HomeUnusable"):
        assert f"{name}" in PAGE.text
        assert issubclass(getattr(errors, name), errors.StopRun)
    tests = {path.name for path in (ROOT / "tests/storage").glob("test_*.py")} - {"test_page.py"}
    assert tests == set(re.findall(r"^\| `(test_\w+\.py)`", PAGE.text, re.MULTILINE))
    assert f"`{BUCKET}`" in PAGE.text


@pytest.mark.slow
def test_the_command_of_the_page_runs_the_contract_on_another_server(stores: Stores):
    store = stores["ministack"]
    exports, command = PAGE.commands()
    names = [word.partition("=")[0] for word in shlex.split(exports)[1:]]
    assert names == ["TEST_S3", *store.credentials]
    given = environment(**store.credentials) | {"TEST_S3": store.address}
    given.pop("PYTEST_XDIST_WORKER", None)
    assert command.startswith(".venv/bin/python -m pytest ")
    words = [*shlex.split(command)[1:], "-q", "-p", "no:cacheprovider"]
    words[words.index("given")] = "given and needs_the_tag"
    done = subprocess.run([sys.executable, *words], env=given, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
