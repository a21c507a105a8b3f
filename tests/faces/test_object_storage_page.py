"""docs/object-storage.md is true: its commands move a home to a bucket, and rebuild it on a new machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from faces.pages import PAGES
from kit.command_line import CommandLine, settings_of
from kit.stores import Stores

from propsync_sandbox import Sandbox

pytestmark = pytest.mark.slow
PAGE = PAGES["object-storage.md"]
SHOWN = "s3://estates-golden-thread/propsync"


@pytest.mark.release
def test_a_person_who_follows_it_has_a_machine_that_may_die(
    running_sandbox: Sandbox, stores: Stores, tmp_path: Path
) -> None:
    commands = [command for command, _ in PAGE.shown()]
    assert {command for command in commands if command.startswith("propsync")} == {
        "propsync rebuild",
        f"propsync storage move --to {SHOWN}",
    }
    store = stores["ministack"]
    store.make_bucket("estates-golden-thread")
    keys = store.environ("propsync", "estates-golden-thread")
    assert keys["PROPSYNC_STORAGE_URL"] == SHOWN
    first = settings_of(running_sandbox, tmp_path / "first")
    on_a_disk = CommandLine(tmp_path, first | {name: keys[name] for name in keys if name.startswith("AWS_")})
    assert on_a_disk("sync").returncode == 0
    moved = on_a_disk("storage", "move", "--to", SHOWN)
    assert moved.returncode == 0, moved.stderr
    assert f"set PROPSYNC_STORAGE_URL={SHOWN}" in moved.stdout
    new = CommandLine(tmp_path, settings_of(running_sandbox, tmp_path / "second") | keys)
    rebuilt = new("rebuild")
    assert rebuilt.returncode == 0, rebuilt.stderr
    query = ("query", "select count(*) from assets", "--format", "csv")
    assert new(*query).stdout == on_a_disk(*query).stdout
    back = new("storage", "move", "--to", str(tmp_path / "third"))
    assert back.returncode == 0, back.stderr
    third = CommandLine(tmp_path, settings_of(running_sandbox, tmp_path / "third"))
    assert third("archive", "verify").returncode == 0
    assert third(*query).stdout == new(*query).stdout


def test_it_names_the_variables_that_propsync_reads() -> None:
    from propsync.settings.storage_access import VARIABLES

    named = set(re.findall(r"`((?:AWS|AZURE)_[A-Z_]+)`", PAGE.text))
    assert named <= set(VARIABLES)
    assert {"AWS_ENDPOINT_URL", "AZURE_STORAGE_ACCOUNT_KEY", "AWS_PROFILE"} <= named
