"""Homes in a bucket: machines that share it, with an API of a few records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.bucket import KEYS, URL, FolderBucket
from kit.home import Home
from kit.server import Server
from kit.small_api import SmallApi

from propsync.settings import StorageAccess


class Machine(Home):
    """A machine with a disk of its own, and a home in a bucket."""

    def __init__(self, path: Path, url: str, server: SmallApi, bucket: FolderBucket) -> None:
        super().__init__(path, url, lock_wait="0", storage_url=URL)
        self.server, self.bucket = server, bucket

    def environ(self, **given: object) -> dict[str, str]:
        """With the credentials of the bucket."""
        return super().environ(**given) | KEYS


class Machines:
    """Makes machines that share a bucket and follow one API."""

    def __init__(self, root: Path, url: str, api: SmallApi, patch: pytest.MonkeyPatch) -> None:
        self.root, self.url, self.api = root, url, api
        self.bucket = FolderBucket(root / "bucket")
        self._patch = patch
        self.use(self.bucket)

    def use(self, bucket: FolderBucket) -> None:
        """From now on all machines have this bucket."""

        def opened(access: StorageAccess) -> FolderBucket:
            assert access.url == URL
            return bucket

        self.bucket = bucket
        self._patch.setattr("propsync.runbooks.workplace.object_storage", opened)
        self._patch.setattr("propsync.runbooks.erasure.verify.object_storage", opened)

    def __call__(self, name: str) -> Machine:
        """The machine of that name; a new one has nothing but its settings."""
        return Machine(self.root / name, self.url, self.api, self.bucket)


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machines]:
    api = SmallApi()
    with Server(api) as server:
        yield Machines(tmp_path, server.url, api, monkeypatch)
