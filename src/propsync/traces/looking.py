"""Looks into one file, whatever its name says: raw bytes first, then what its format holds, then what that holds."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from propsync.documents.worker.client import WorkerPool
from propsync.documents.zips.bundle import Bounds
from propsync.documents.zips.source import ZipRefused
from propsync.errors import PropsyncError
from propsync.file_kinds import PDF_BEGINNING, is_pdf
from propsync.traces import sqlite
from propsync.traces.escapes import from_digits, unescaped
from propsync.traces.findings import Findings, Place
from propsync.traces.needle import Hit, Needle
from propsync.traces.unpacking import DAMAGE, flate_streams, gzipped, zstd, zstd_frames
from propsync.traces.zipped import members
from propsync.warehouse import ForeignTables, Sought, Values

_BLOCK = 1 << 20
_IN_MEMORY = 8 << 20  # bytes of an unpacked file that need no file
_SMALL = 64 << 20  # unpacked bytes up to which a packed file has no bound by ratio
_DEEPEST = 5
_NAMES = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!\x1a\x07": "RAR",
    b"\x04\x22\x4d\x18": "LZ4",
}


@dataclass(frozen=True)
class _Part:
    """An open file, or one that another holds: its place in that, how deep it is, its size."""

    file: BinaryIO
    place: str
    depth: int
    size: int

    def inner(self, name: str) -> str:
        return _in(self.place, name)


@dataclass(frozen=True)
class Equipment:
    """What a search needs: `folder` takes unpacked files, which have no name there."""

    needle: Needle
    pdf: WorkerPool
    tables: ForeignTables
    bounds: Bounds
    folder: Path

    @property
    def sought(self) -> Sought:
        """The needle, for databases."""
        return Sought(self.needle.runs, self.is_in)

    def is_in(self, value: str | bytes) -> bool:
        """Whether a value has it."""
        return self.needle.is_in(value) if isinstance(value, str) else self.needle.first(value) is not None


def look(name: str, file: BinaryIO, equipment: Equipment) -> Findings:
    """What `file` has, under its name for people."""
    looking = _Looking(name, equipment)
    size = os.fstat(file.fileno()).st_size
    looking.file(file, "", 0)
    looking.findings.files, looking.findings.size_bytes = 1, size
    return looking.findings


class _Looking:
    """A search in one file and in all that it holds."""

    def __init__(self, name: str, equipment: Equipment) -> None:
        self.findings = Findings()
        self._name, self._equipment, self._needle = name, equipment, equipment.needle
        self._left = equipment.bounds.unpacked_bytes

    def file(self, file: BinaryIO, place: str, depth: int) -> None:
        """Looks into an open file, or into one that another holds."""
        try:
            self._raw(file, place)
            head, size = _head(file)
            if handle := self._handler(head):
                if depth > _DEEPEST:
                    self._unread(place, f"it is packed more than {_DEEPEST} times over")
                else:
                    handle(_Part(file, place, depth, size))
            self._unpackable(head, place)
        except (PropsyncError, ZipRefused, sqlite.DAMAGE, *DAMAGE) as error:
            self._unread(place, _words(error))

    def _handler(self, head: bytes) -> Callable[[_Part], None] | None:
        starts: dict[bytes, Callable[[_Part], None]] = {
            b"\x1f\x8b": self._gzip,
            b"\x28\xb5\x2f\xfd": self._zstd,
            b"PK\x03\x04": self._zip,
            b"PAR1": self._parquet,
            b"SQLite format 3\0": self._sqlite,
        }
        if head[8:12] == b"DUCK":
            return self._database
        if is_pdf(head):
            return self._pdf
        return next((handle for start, handle in starts.items() if head.startswith(start)), None)

    def _raw(self, file: BinaryIO, place: str) -> None:
        file.seek(0)
        if hit := self._needle.first_in(_blocks(file)):
            self._trace(place, f"byte {hit.offset:,}, as {hit.spelling}")

    def _gzip(self, part: _Part) -> None:
        self._unpacked(gzipped(part.file), part.inner("gzip"), part)

    def _zstd(self, part: _Part) -> None:
        self._unpacked(zstd(part.file), part.inner("zstd"), part)

    def _zip(self, part: _Part) -> None:
        for name, pieces in members(part.file, self._name, self._equipment.bounds):
            self._unpacked(pieces, part.inner(f"member {name}"), part)

    def _pdf(self, part: _Part) -> None:
        if hit := self._needle.first_in(self._counted(flate_streams(part.file), part.size)):
            self._trace(part.place, f"a stream of the PDF, as {hit.spelling}")
        elif hit := self._escaped(part):
            self._trace(part.place, f"escapes of the PDF, as {hit.spelling}")
        pages = self._equipment.pdf.text(_path(part.file))
        found = [number for number, page in enumerate(pages, 1) if self._needle.is_in(page)]
        for number in found:
            self._trace(part.place, f"page {number}")
        if not found and self._needle.is_in("\n".join(pages)):
            self._trace(part.place, "across two pages")

    def _escaped(self, part: _Part) -> Hit | None:
        """The first trace in escapes, such as those of a title or a note."""
        for meaning in (unescaped, from_digits):
            part.file.seek(0)
            for pieces in (_blocks(part.file), flate_streams(part.file)):
                if hit := self._needle.first_in(meaning(pieces)):
                    return hit
        return None

    def _parquet(self, part: _Part) -> None:
        self._frames(part)
        self._values(self._equipment.tables.parquet(_path(part.file), self._equipment.sought), part.place)

    def _database(self, part: _Part) -> None:
        self._frames(part)
        values = self._equipment.tables.database(_path(part.file), self._equipment.sought)
        self._values(values, part.place)
        if values.free_blocks:
            why = f"{values.free_blocks:,} unused blocks, in which packed text would not show"
            self.findings.raw_only.append(Place(self._name, part.place, why))

    def _sqlite(self, part: _Part) -> None:
        for one in sqlite.columns_with(_path(part.file), self._equipment.is_in):
            self._trace(part.place, one)

    def _frames(self, part: _Part) -> None:
        if hit := self._needle.first_in(self._counted(zstd_frames(part.file), part.size)):
            self._trace(part.place, f"a packed page, as {hit.spelling}")

    def _values(self, values: Values, place: str) -> None:
        for one in values.found:
            self._trace(place, one)
        for one, why in values.unread:
            self._unread(_in(place, one), why)

    def _unpacked(self, pieces: Iterable[bytes], place: str, part: _Part) -> None:
        """Looks into what `part` holds packed, as far as it is whole."""
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, dir=str(self._equipment.folder)) as inner:
            try:
                for piece in self._counted(pieces, part.size):
                    inner.write(piece)
            except (PropsyncError, ZipRefused, *DAMAGE) as error:
                self._unread(place, _words(error))
            self.file(cast(BinaryIO, inner), place, part.depth + 1)

    def _counted(self, pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
        """The pieces, until they are too many for the file that holds them. Raises ZipRefused then."""
        bounds, count = self._equipment.bounds, 0
        for piece in pieces:
            count += len(piece)
            self._left -= len(piece)
            if self._left < 0 or count > max(_SMALL, int(bounds.ratio * size)):
                raise ZipRefused("it unpacks to more than PROPSYNC_ARCHIVE_MAX_RATIO or _MAX_UNPACKED_GB allows")
            yield piece

    def _unpackable(self, head: bytes, place: str) -> None:
        for start, name in _NAMES.items():
            if head.startswith(start):
                self._unread(place, f"it is packed by {name}, which propsync does not open")

    def _trace(self, place: str, where: str) -> None:
        self.findings.traces.append(Place(self._name, _in(place, where)))

    def _unread(self, place: str, why: str) -> None:
        self.findings.unread.append(Place(self._name, place, why))


def _head(file: IO[bytes]) -> tuple[bytes, int]:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return file.read(PDF_BEGINNING), size


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _path(file: BinaryIO) -> Path:
    """A path that other readers can open; a file without a name has one among the open files of this process."""
    name = getattr(file, "name", None)
    if isinstance(name, str):
        return Path(name)
    file.flush()
    return Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")


def _in(place: str, inner: str) -> str:
    return f"{place}, {inner}" if place else inner


def _words(error: BaseException) -> str:
    if isinstance(error, PropsyncError):
        return error.what
    return (str(error).splitlines() or [type(error).__name__])[0]
