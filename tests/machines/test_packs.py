"""Files that come home from packs outlive a power cut."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.bucket import FolderBucket

from propsync.bucket.packs import PackReader, PackWriter
from propsync.storage import LocalStorage

KEYS = [f"landing/pages/aa/{number}" for number in range(9)]


def test_no_file_has_its_name_before_its_bytes_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut left empty files, which later runs took for files that are at home."""
    here, there, bucket = (
        LocalStorage(tmp_path / "here"),
        LocalStorage(tmp_path / "there"),
        FolderBucket(tmp_path / "b"),
    )
    for key in KEYS:
        here.put(key, key.encode())
    writer = PackWriter(here, bucket, here.root, 1)
    writer.put(KEYS)
    on_disk: set[int] = set()
    unsafe: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noted(handle: int) -> None:
        fsync(handle)
        on_disk.add(os.fstat(handle).st_ino)

    def placed(self: Path, target: Path) -> Path:
        unsafe.extend([str(target)] if self.stat().st_ino not in on_disk else [])
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(Path, "replace", placed)
    there.root.mkdir()
    PackReader(there, bucket, there.root).fetch(writer.places)
    assert unsafe == []
    assert [there.get(key).decode() for key in KEYS] == KEYS
    assert [path.name for path in there.root.iterdir()] == ["landing"]
