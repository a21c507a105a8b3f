"""A bucket in a folder, for many machines and processes, and the flaws that a bucket may have after a run.

It keeps the protocol of `propsync.storage.Storage` and shares no code with it; the contract test of storages is for
real servers.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from propsync.bucket import CommitLog
from propsync.bucket.durable import durable_keys
from propsync.bucket.verify import damaged_documents, damaged_files
from propsync.storage import LocalStorage

URL = "s3://bucket/home"
KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "a-secret-of-the-tests"}
MUTATING = ("put", "put_new", "put_file", "delete", "swap")
_TOP = {"archive", "files", "lease.json", "log", "packs", "probe", "published", "sending"}

Around = Callable[[str, str], AbstractContextManager[None]]
"""Surrounds each request, given its verb and its key."""


def _plainly(verb: str, key: str) -> AbstractContextManager[None]:
    return nullcontext()


class FolderBucket:
    """Objects as files below `root`; `around` may fail, or lose the answer of, any request."""

    def __init__(self, root: Path, around: Around = _plainly) -> None:
        self.root = root
        self.around = around
        self._aside = root.with_name(f"{root.name}.requests")
        for folder in (root, self._aside):
            folder.mkdir(parents=True, exist_ok=True)

    def put(self, key: str, body: bytes) -> None:
        with self.around("put", key):
            self._write(key, body)

    def put_new(self, key: str, body: bytes) -> bool:
        with self.around("put_new", key), self._alone():
            if not (self.root / key).exists():
                self._write(key, body)
        return (self.root / key).read_bytes() == body

    def put_file(self, key: str, source: Path) -> None:
        with self.around("put_file", key):
            self._write(key, source.read_bytes())

    def get(self, key: str) -> bytes:
        with self.around("get", key):
            return (self.root / key).read_bytes()

    def get_range(self, key: str, start: int, length: int) -> bytes:
        return self.get(key)[start : start + length]

    def read(self, key: str) -> Iterator[bytes]:
        yield self.get(key)

    def exists(self, key: str) -> bool:
        with self.around("exists", key):
            return (self.root / key).is_file()

    def list(self, prefix: str) -> Iterable[str]:
        return [key for key, _ in self.tags(prefix)]

    def age(self, key: str) -> float:
        with self.around("age", key):
            return time.time() - (self.root / key).stat().st_mtime

    def tags(self, prefix: str) -> Iterable[tuple[str, str]]:
        with self.around("list", prefix):
            found = [path for path in (self.root / prefix).rglob("*") if path.is_file()]
            return sorted((str(path.relative_to(self.root)), _tag(path)) for path in found)

    def delete(self, key: str) -> None:
        with self.around("delete", key):
            (self.root / key).unlink(missing_ok=True)

    def tagged(self, key: str) -> tuple[bytes, str] | None:
        with self.around("get", key), suppress(FileNotFoundError):
            return self._tagged(key)
        return None

    def swap(self, key: str, body: bytes, tag: str | None) -> str | None:
        with self.around("swap", key), self._alone():
            found = None
            with suppress(FileNotFoundError):
                found = self._tagged(key)[1]
            if found != tag:
                return None
            self._write(key, body)
            return self._tagged(key)[1]

    def _tagged(self, key: str) -> tuple[bytes, str]:
        body = (self.root / key).read_bytes()
        return body, hashlib.md5(body, usedforsecurity=False).hexdigest()

    def _write(self, key: str, body: bytes) -> None:
        partial = self._aside / secrets.token_hex(8)
        partial.write_bytes(body)
        (self.root / key).parent.mkdir(parents=True, exist_ok=True)
        partial.replace(self.root / key)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        handle = os.open(self._aside, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _tag(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"


def flaws(bucket: FolderBucket, home: Path) -> list[str]:
    """The flaws after a run: objects without a name, lost or damaged ones, files that only home or the bucket has."""
    storage, contents = LocalStorage(home), CommitLog(bucket).contents()
    found = [f"{path.name} is at the top" for path in bucket.root.iterdir() if path.name not in _TOP]
    stored, named = {*bucket.list("packs"), *bucket.list("files")}, contents.named()
    found += [f"nothing names {key}" for key in stored - named]
    found += [f"{key} is lost" for key in named - stored]
    if not found:
        found += [f"{key} is damaged" for key in damaged_files(storage, bucket, contents)]
    found += [f"{key} is damaged" for key in damaged_documents(bucket)]
    here = {key: storage.get(key) for key in durable_keys(storage)}
    found += [f"{key} is not in the bucket" for key in here.keys() - contents.places.keys()]
    found += [f"{key} is in the bucket alone" for key in contents.places.keys() - here.keys()]
    sums = {key: hashlib.sha256(body).hexdigest() for key, body in here.items()}
    same = here.keys() & contents.places.keys()
    found += [f"{key} differs in the bucket" for key in same if contents.places[key].sha256 != sums[key]]
    return sorted(found + _unpublished(bucket, home))


def _unpublished(bucket: FolderBucket, home: Path) -> list[str]:
    folders = [root / "published" for root in (bucket.root, home)]
    there, here = ({str(path.relative_to(one)): path for path in one.rglob("*") if path.is_file()} for one in folders)
    found = [f"published/{name} is in one place alone" for name in there.keys() ^ here.keys()]
    same = there.keys() & here.keys()
    return found + [f"published/{name} differs" for name in same if there[name].read_bytes() != here[name].read_bytes()]


def copied(bucket: FolderBucket, root: Path) -> FolderBucket:
    """Another bucket with the same objects."""
    shutil.copytree(bucket.root, root)
    return FolderBucket(root)


def put_back(home: Path, aside: Path) -> None:
    """Home becomes what `aside` has, and its folder of state stays: propsync knows a copy of a home by another one."""
    for path in [*home.glob("*"), *home.glob("state/*")]:
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path != home / "state":
            shutil.rmtree(path)
    shutil.copytree(aside, home, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(aside)
