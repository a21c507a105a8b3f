"""Documents on their way between home and bucket: no sound one goes while the other place has it damaged, or not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kit.bucket import URL, FolderBucket

from propsync.bucket import BucketHome, fetch_documents, put_documents
from propsync.errors import BaseLost
from propsync.storage import LocalStorage, Storage

BODY = b"%PDF-1.7 whole"
NAME = f"{hashlib.sha256(BODY).hexdigest()}.pdf"
KEY = f"archive/blobs/{NAME[:2]}/{NAME}"
ASIDE = KEY.replace("blobs", "rotten")


@pytest.fixture
def bucket(tmp_path: Path) -> FolderBucket:
    return FolderBucket(tmp_path / "bucket")


@pytest.fixture
def opened(bucket: FolderBucket, tmp_path: Path) -> Iterator[BucketHome]:
    home, work = LocalStorage(tmp_path / "home"), tmp_path / "home/state/work"
    for folder in (work, tmp_path / "home/archive/partial"):
        folder.mkdir(parents=True)
    with BucketHome.opened(home, bucket, URL, work, what="test", wait_seconds=0) as made:
        yield made


def held(storage: Storage, key: str = KEY) -> bytes | None:
    return storage.get(key) if storage.exists(key) else None


@pytest.mark.parametrize(
    ("here", "there", "stays", "put"),
    [
        (BODY, None, None, BODY),
        (BODY, BODY, None, BODY),
        (BODY, b"%PDF-1", None, BODY),  # the bucket's copy is cut short
        (b"rotten", BODY, None, BODY),
        (b"rotten", None, None, b"rotten"),  # a part may still be read
        (b"rotten", b"rotten", None, b"rotten"),
        (b"rotten", b"%PDF-1", b"rotten", b"%PDF-1"),  # a part of each may be all that is left
    ],
)
def test_a_document_leaves_home_only_for_a_copy_that_is_no_worse(
    opened: BucketHome, here: bytes, there: bytes | None, stays: bytes | None, put: bytes
) -> None:
    opened.home.put(KEY, here)
    if there is not None:
        opened.storage.put(KEY, there)
    put_documents(opened, stay=True)
    assert (held(opened.home), held(opened.storage)) == (here, put)
    put_documents(opened)
    assert (held(opened.home), held(opened.storage)) == (stays, put)


def test_a_document_that_an_archive_run_moves_meanwhile_stops_nothing(opened: BucketHome, bucket: FolderBucket) -> None:
    opened.home.put(KEY, BODY)

    @contextmanager
    def around(verb: str, key: str) -> Iterator[None]:
        if (verb, key) == ("get", KEY):
            opened.home.delete(KEY)
        yield

    bucket.around = around
    put_documents(opened)
    assert held(opened.storage) is None


def test_a_damaged_document_aside_goes_along_in_both_directions(opened: BucketHome, tmp_path: Path) -> None:
    opened.home.put(ASIDE, b"rotten")
    put_documents(opened)
    assert (held(opened.home, ASIDE), held(opened.storage, ASIDE)) == (None, b"rotten")
    fetch_documents(opened.home, opened.storage)
    assert held(opened.home, ASIDE) == b"rotten"


def test_a_document_that_is_damaged_at_home_comes_whole_from_the_bucket(opened: BucketHome) -> None:
    opened.home.put(KEY, b"rotten")
    opened.storage.put(KEY, BODY)
    fetch_documents(opened.home, opened.storage)
    assert held(opened.home) == BODY


def test_a_document_that_neither_place_has_whole_is_named(opened: BucketHome) -> None:
    opened.home.put(KEY, b"rotten")
    with pytest.raises(BaseLost, match=rf"{KEY} in the bucket: it is missing\. Run `propsync archive verify`"):
        fetch_documents(opened.home, opened.storage)
    assert held(opened.home) == b"rotten"
