"""Packs: plain ZIP files that hold many small files of home, so that a night puts few objects."""

from __future__ import annotations

import hashlib
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from propsync.bucket.commits import Place
from propsync.errors import BaseLost
from propsync.storage import (
    PARTIAL,
    LocalStorage,
    Storage,
    disk_errors,
    remove,
    remove_folder,
    sha256_of_blocks,
    sha256_of_file,
    sync_file,
    write_blocks,
)

FOLDERS = ("packs", "files")
_PACK = 64 << 20  # bytes of a pack
_ALONE = 16 << 20  # bytes of a file that gets an object of its own
_UNPACKED = f"unpacked{PARTIAL}"
_SYNCS = 8  # files to wait for at once
_DIGITS = 10  # of the number that begins the name of each object
_STEP = (
    "If the machine that ran last still has its home, remove the rest of that object and run `propsync sync` "
    "there: it puts the files again. Otherwise restore an earlier version of the object"
)


@dataclass
class PackWriter:
    """Puts files of home into the bucket, packed. `work` is a folder for a pack under way.

    The name of an object has the number of its commit, so that no other machine takes it for waste. It also has the
    hash of its bytes, so that a second try after a kill puts nothing again.
    """

    home: LocalStorage
    storage: Storage
    work: Path
    sequence: int
    places: dict[str, Place] = field(default_factory=dict)
    """Where each file is now."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of each object."""

    def put(self, keys: Iterable[str]) -> None:
        """Puts these files. A file that vanished meanwhile is left out."""
        small: list[str] = []
        filled = 0
        for key in keys:
            size = self._size(key)
            if size >= _ALONE:
                self._put_alone(key, size)
            elif size >= 0:
                small.append(key)
                filled += size
            if filled >= _PACK:
                self._put_pack(small)
                small, filled = [], 0
        self._put_pack(small)

    def _size(self, key: str) -> int:
        try:
            return (self.home.root / key).stat().st_size
        except FileNotFoundError:
            return -1

    def _put_alone(self, key: str, size: int) -> None:
        sha256 = sha256_of_blocks(self.home.read(key))
        name = f"files/{self.sequence:0{_DIGITS}d}-{sha256}"
        self._put_object(name, self.home.root / key, size)
        self.places[key] = Place(name, 0, size, sha256)

    def _put_pack(self, keys: list[str]) -> None:
        if not keys:
            return
        path = self.work / f"pack.zip{PARTIAL}"
        try:
            with disk_errors(path), zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as pack:
                entries = {key: entry for key in keys if (entry := self._add(pack, key))}
            name = f"packs/{self.sequence:0{_DIGITS}d}-{sha256_of_file(path)}.zip"
            self._put_object(name, path, path.stat().st_size)
        finally:
            remove(path)
        self.places |= {key: Place(name, *entry) for key, entry in entries.items()}

    def _add(self, pack: zipfile.ZipFile, key: str) -> tuple[int, int, str] | None:
        """Adds a file; returns offset, size and hash of its bytes."""
        try:
            body = self.home.get(key)
        except FileNotFoundError:
            return None
        entry = zipfile.ZipInfo(key)
        pack.writestr(entry, body)
        return entry.header_offset + len(entry.FileHeader()), len(body), hashlib.sha256(body).hexdigest()

    def _put_object(self, name: str, path: Path, size: int) -> None:
        if not self.storage.exists(name):
            self.storage.put_file(name, path)
        self.sizes[name] = size


@dataclass(frozen=True)
class PackReader:
    """Brings files of home back from the bucket. `work` is a folder for an object under way."""

    home: LocalStorage
    storage: Storage
    work: Path

    def fetch(self, places: Mapping[str, Place]) -> None:
        """Brings these files, each verified by its hash. Raises BaseLost if one is missing or has changed."""
        by_object: dict[str, list[str]] = defaultdict(list)
        for key, place in places.items():
            by_object[place.object_key].append(key)
        for object_key, keys in sorted(by_object.items()):
            path = self.work / f"fetched{PARTIAL}"
            try:
                download(self.storage, object_key, path)
                self._unpack(path, {key: places[key] for key in keys})
            finally:
                remove(path)
                remove_folder(self.work / _UNPACKED)
        self.home.settle(places)

    def _unpack(self, path: Path, places: Mapping[str, Place]) -> None:
        """Gives each file its name only when its bytes are on the disk: a power cut would leave an empty one."""
        folder = self.work / _UNPACKED
        with disk_errors(folder):
            folder.mkdir(exist_ok=True, mode=0o700)
        with path.open("rb") as source:
            files = {key: folder / str(number) for number, key in enumerate(places)}
            for key, file in files.items():
                self._copy(source, places[key], key, file)
        with disk_errors(folder), ThreadPoolExecutor(_SYNCS) as pool:
            list(pool.map(sync_file, files.values()))
        for key, file in files.items():
            file.chmod(0o600)
            self.home.place(key, file)

    @staticmethod
    def _copy(source: BinaryIO, place: Place, key: str, target: Path) -> None:
        source.seek(place.offset)
        with disk_errors(target), target.open("wb") as writer:
            sha256 = write_blocks(writer, some_blocks(source.read, place.size))
        if sha256 != place.sha256:
            raise BaseLost(f"{place.object_key} in the bucket", f"its bytes for {key} have changed", _STEP)


def sequence_of(object_key: str) -> int:
    """The number of the commit that an object was put for, 0 if its name has none."""
    digits = object_key.rpartition("/")[2].partition("-")[0]
    return int(digits) if digits.isdecimal() and len(digits) == _DIGITS else 0


def download(storage: Storage, key: str, path: Path) -> None:
    """Writes an object to a local file. Raises BaseLost if it does not exist, StorageAway, DiskFull."""
    try:
        with disk_errors(path), path.open("wb") as file:
            for block in storage.read(key):
                file.write(block)
    except FileNotFoundError as error:
        raise BaseLost(f"{key} in the bucket", "it is missing", _STEP) from error


def some_blocks(read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
    """The next `size` bytes of a file, block by block."""
    left = size
    while left > 0 and (block := read(min(left, 1 << 20))):
        left -= len(block)
        yield block
