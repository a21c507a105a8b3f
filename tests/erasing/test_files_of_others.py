"""Files of other programs below home: an erasure names those that have it, and none keeps it from its end."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kit.unlisted import unlisted

from propsync.erasing.files import OtherFiles
from propsync.storage import LocalStorage
from propsync.suppression import TEXT, Erasure, Marker, Suppression

MARKER = Marker(b"k" * 32)
ERASED = Erasure("e1", "text", datetime(2026, 5, 4, tzinfo=UTC), "asked", text=MARKER.mark(TEXT, "Jane Doe"))


def told(home: Path) -> list[str]:
    return sorted(OtherFiles(LocalStorage(home), Suppression(MARKER, [ERASED])).elsewhere())


def test_those_that_have_it_are_named_and_nothing_of_propsync(tmp_path: Path):
    for name in ("notes.txt", "a/list.csv", "landing/x", "state/warehouse.duckdb", "state/plans/p"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("seen by Jane Doe")
    (tmp_path / "other.txt").write_text("nothing")
    has_it = "below this home has it too, and propsync does not write that file"
    assert told(tmp_path) == [f"a/list.csv {has_it}", f"notes.txt {has_it}"]


def test_the_note_of_a_stopped_backfill_goes_if_it_has_it(tmp_path: Path):
    """It has lines about records; without it the backfill begins again."""
    folder = tmp_path / "state" / "backfill"
    folder.mkdir(parents=True)
    for name, line in (("a.json", "rows, such as Jane Doe"), ("b.json", "nothing")):
        (folder / name).write_text(line)
    others = OtherFiles(LocalStorage(tmp_path), Suppression(MARKER, [ERASED]))
    assert others.found() == ["state/backfill/a.json"]
    others.remove()
    assert [one.name for one in folder.iterdir()] == ["b.json"]


def test_what_has_no_content_has_nothing(tmp_path: Path):
    """An erasure stopped at each of these, and then every night refused to start."""
    os.mkfifo(tmp_path / "a pipe")
    (tmp_path / "a broken link").symlink_to("nowhere")
    (tmp_path / "a link to itself").symlink_to("a link to itself")
    (tmp_path / "a link to home").symlink_to(tmp_path)
    assert told(tmp_path) == []


def test_what_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("lost+found/a", "mine.txt", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("seen by Jane Doe")
    unlisted(monkeypatch, tmp_path / "lost+found", errno.EACCES)
    real = LocalStorage.get

    def get(self: LocalStorage, key: str) -> bytes:
        if key == "mine.txt":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), key)
        return real(self, key)

    monkeypatch.setattr(LocalStorage, "get", get)
    unknown = "cannot be read (Permission denied), so propsync does not know whether it has it"
    has_it = "below this home has it too, and propsync does not write that file"
    assert told(tmp_path) == [f"lost+found {unknown}", f"mine.txt {unknown}", f"notes.txt {has_it}"]
