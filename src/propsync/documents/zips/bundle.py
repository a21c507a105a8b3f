"""A bundle.zip: whether it is whole, whether it may be read, and what it holds. Member names are never paths here.

A ZIP that is not whole is not kept. One that is whole is kept, and refused as a whole where it

- has more members than the bound, or a directory that is too long to be held;
- has encrypted members, or members packed by another method than stored and deflated;
- unpacks to more bytes than the bound, or to more for one packed byte than the bound, by what it declares;
- has members that overlap;
- declares a member smaller than it is, and unpacks it to more than a bound;
- declares a size that is not that of a member, or says of it in one place what it does not say in the other: readers
  would disagree about what is in it;
- has two members with one name, also where only case, composition of letters, `./` or the kind of slash differ;
- holds another archive, which could hide all of these.

The first four are told before anything is unpacked, the fifth as soon as it shows, and such a ZIP is whole as far as it
was looked at; the last three only once every checksum has been found right.
"""

from __future__ import annotations

import hashlib
import re
import stat
import unicodedata
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from propsync.documents.csv_members import table_of
from propsync.documents.encodings import SAMPLE, why_no_text
from propsync.documents.zips.directory import read_directory
from propsync.documents.zips.members import METHODS, Unpacked
from propsync.documents.zips.source import IS_HEADER, DirectoryEntry, ZipRefused, ZipSource, open_zip, own_header

_SMALL = 10**6  # unpacked bytes up to which a member may be packed as tightly as it likes
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DRIVE = re.compile(r"[A-Za-z]:")
# Documents whose format is a ZIP: an attached letter or sheet must not cost the bundle its tables
_OFFICE = (
    ".docx",
    ".docm",
    ".dotx",
    ".xlsx",
    ".xlsm",
    ".xltx",
    ".pptx",
    ".pptm",
    ".vsdx",
    ".odt",
    ".ods",
    ".odp",
    ".odg",
)
_DOCUMENTS = (*_OFFICE, ".epub", ".kmz", ".xps", ".oxps", ".pages", ".numbers", ".key")


@dataclass(frozen=True)
class Bounds:
    """Up to where a ZIP is read: `ratio` is the most unpacked bytes for one packed.

    It holds for the ZIP as a whole, and for each member above 1 MB unpacked.
    """

    members: int = 50_000
    ratio: float = 100.0
    unpacked_bytes: int = 20 * 10**9


@dataclass(frozen=True)
class Member:
    """One member as the directory spells and declares it; `refused` says why it was not read, and has no hash then."""

    name: str
    size_bytes: int
    crc32: int
    sha256: str | None
    refused: str | None


@dataclass(frozen=True)
class Bundle:
    """The members in the order of the directory; none where `refused` says why the ZIP is not opened further."""

    members: tuple[Member, ...]
    refused: str | None


def read_bundle(path: Path, bounds: Bounds) -> Bundle:
    """Reads a ZIP once from end to end, at bounded memory, and lists its members with their hashes.

    Raises DocumentDamaged for one that is not whole, OSError where it cannot be read from the disk.
    """
    with open_zip(path) as source:
        try:
            return Bundle(_members(source, bounds), None)
        except ZipRefused as refused:
            return Bundle((), refused.reason)


def member_pieces(path: Path, bundle: Bundle, name: str) -> Generator[bytes, None, None]:
    """One member that was read before, again: its bytes in pieces of at most 1 MiB.

    Raises KeyError for a name that `bundle` has not, or has not read; DocumentDamaged where the ZIP is another by now.
    """
    if name not in _readable(bundle):
        raise KeyError(name)
    with open_again(path, bundle) as pieces_of:
        yield from pieces_of(name)


@contextmanager
def open_again(path: Path, bundle: Bundle) -> Iterator[Callable[[str], Iterator[bytes]]]:
    """A ZIP that was read before, for several of its members: a call for each, with `member_pieces`' promises."""
    readable = _readable(bundle)
    with open_zip(path) as source, _as_listed(source):
        entries = {entry.name: entry for entry in read_directory(source, len(bundle.members))}

        def pieces_of(name: str) -> Iterator[bytes]:
            if name not in readable:
                raise KeyError(name)
            with _as_listed(source):
                if name not in entries:
                    raise ZipRefused(f"it has no member {name}")
                start = own_header(source, entries[name]).start
                yield from Unpacked(source, entries[name], start, entries[name].unpacked)

        yield pieces_of


def _readable(bundle: Bundle) -> set[str]:
    return {member.name for member in bundle.members if member.sha256}


@contextmanager
def _as_listed(source: ZipSource) -> Iterator[None]:
    try:
        yield
    except ZipRefused as error:
        raise source.damaged("it is not the ZIP that was listed") from error


def _members(source: ZipSource, bounds: Bounds) -> tuple[Member, ...]:
    entries = read_directory(source, bounds.members)
    _refuse_unreadable(entries)
    _refuse_bombs(entries, source.size, bounds)
    own = [own_header(source, entry) for entry in entries]
    reading = _Reading(source, entries, bounds)
    read = [reading.member(entry, one.start) for entry, one in zip(entries, own, strict=True)]
    if not reading.is_as_declared:
        raise ZipRefused("a member's size is not what the directory declares")
    if not all(one.is_as_declared for one in own):
        raise ZipRefused("a member's own header is not what the directory declares")
    if len({_one_name(entry.name) for entry in entries}) < len(entries):
        raise ZipRefused("two members have one name")
    if any(is_archive for _, is_archive in read):
        raise ZipRefused("it holds another archive")
    return tuple(member for member, _ in read)


def _refuse_unreadable(entries: Sequence[DirectoryEntry]) -> None:
    if any(entry.is_encrypted for entry in entries):
        raise ZipRefused("a member is encrypted")
    for entry in entries:
        if entry.method not in METHODS:
            raise ZipRefused(f"a member is packed by method {entry.method}, which is not read")


def _refuse_bombs(entries: Sequence[DirectoryEntry], size: int, bounds: Bounds) -> None:
    """By what the directory declares."""
    total = _total(entries)
    if total > bounds.unpacked_bytes:
        raise ZipRefused(f"it unpacks to {total:,} bytes, more than {bounds.unpacked_bytes:,}")
    if total > bounds.ratio * size:
        raise ZipRefused(f"it unpacks to {total // size:,} times its size")
    for entry in entries:
        if entry.unpacked > _most(entry, bounds):
            raise ZipRefused(f"a member unpacks to {entry.unpacked // max(entry.packed, 1):,} times its size")


def _total(entries: Sequence[DirectoryEntry]) -> int:
    return sum(entry.unpacked for entry in entries)


def _most(entry: DirectoryEntry, bounds: Bounds) -> int:
    return max(_SMALL, int(bounds.ratio * entry.packed))


class _Reading:
    """Reads members; what they have beyond what they declare is held to the bounds of the whole as well."""

    def __init__(self, source: ZipSource, entries: Sequence[DirectoryEntry], bounds: Bounds) -> None:
        self._source, self._bounds = source, bounds
        self._spare = min(bounds.unpacked_bytes, int(bounds.ratio * source.size)) - _total(entries)
        self.is_as_declared = True

    def member(self, entry: DirectoryEntry, start: int) -> tuple[Member, bool]:
        """The member, read where that is allowed, and whether it is an archive."""
        refused = _refusal(entry)
        name, is_archive, sha256 = entry.name, entry.name.lower().endswith(".zip"), None
        if refused is None:
            sha256, first = self._hashed(entry, start)
            is_archive = is_archive or (first.startswith(IS_HEADER) and not name.lower().endswith(_DOCUMENTS))
            refused = why_no_text(first) if table_of(name) else None
            sha256 = None if refused else sha256
        return Member(name, entry.unpacked, entry.crc32, sha256, refused), is_archive

    def _hashed(self, entry: DirectoryEntry, start: int) -> tuple[str, bytes]:
        """The SHA-256 of a member, and its beginning."""
        sha256, first = hashlib.sha256(), b""
        unpacked = Unpacked(self._source, entry, start, min(_most(entry, self._bounds), entry.unpacked + self._spare))
        for piece in unpacked:
            sha256.update(piece)
            first += piece[: SAMPLE - len(first)]
        self._spare -= max(0, unpacked.size - entry.unpacked)
        self.is_as_declared = self.is_as_declared and unpacked.is_as_declared
        return sha256.hexdigest(), first


def _refusal(entry: DirectoryEntry) -> str | None:
    """Why a member is not read while the others are; None for one that is."""
    name = entry.name
    reasons = {
        "it has no name": not name,
        "its name has control characters": _CONTROL.search(name),
        "its name has a drive letter": _DRIVE.match(name),
        "its name has a backslash": "\\" in name,
        "its name is absolute": name.startswith("/"),
        "its name leaves the folder": any(part.strip() == ".." for part in name.split("/")),
        "it is a symlink": stat.S_ISLNK(entry.mode),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _one_name(name: str) -> str:
    """Equal for names that would be one file on some disk."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return "/".join(part for part in folded.replace("\\", "/").split("/") if part not in ("", "."))
