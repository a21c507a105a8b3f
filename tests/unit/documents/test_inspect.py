"""Promises of comparisons: two bundles with the same members are the same, however the API packs them."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from propsync.documents.inspect import DocumentReader
from propsync.documents.kinds import KINDS
from propsync.documents.worker.client import WorkerPool
from propsync.documents.zips.bundle import Bounds

ONE, OTHER = ("image.jpg", b"1"), ("image.jpg", b"2")


def _zipped(path: Path, members: Sequence[tuple[str, bytes]]) -> Path:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as folder:
        warnings.simplefilter("ignore", UserWarning)
        for name, content in members:
            folder.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ([ONE, OTHER], [OTHER, ONE], True),
        ([ONE, ONE], [ONE], True),
        ([ONE, OTHER], [ONE, ("image.jpg", b"3")], False),
        ([ONE, OTHER], [ONE], False),
    ],
)
def test_members_of_one_name_are_the_same_in_any_order(
    tmp_path: Path, before: list[tuple[str, bytes]], after: list[tuple[str, bytes]], is_same: bool
) -> None:
    old, new = _zipped(tmp_path / "before.zip", before), _zipped(tmp_path / "after.zip", after)
    with WorkerPool() as pool:
        reader = DocumentReader(Bounds(), pool, tmp_path)
        assert reader.is_same(old, new, reader.check(KINDS["bundle"], new)) is is_same
