"""A bundle.zip: whether it is whole, whether propsync may read it, and its members. Member names are never paths here.

propsync does not keep a ZIP that is not whole. It keeps a whole one, but refuses to read it if it

- has more members than the bound, or a directory that is too long;
- has encrypted members, or members whose method is neither stored nor deflated;
- unpacks to more bytes than the bound, or to more for one packed byte than the bound, by its own declaration;
- has members that overlap;
- declares a member smaller than it is, and unpacks it to more than a bound;
- declares a wrong size for a member, or different facts in its two headers: readers would disagree about its content.

It finds the first four before it unpacks anything, and the fifth as soon as it shows; it looks no further at such a
ZIP. It finds the last only after every checksum proved right.

It reads all other members if one is an archive itself, which could hide all of these. It leaves members unread that
have one name, unless their bytes are equal too. Names are also one if only case, composition of letters, `./` or the
kind of slash differs.
"""

from __future__ import annotations

import hashlib
import re
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from propsync.documents.csv_members import tables_of
from propsync.documents.encodings import SAMPLE, why_no_text
from propsync.documents.zips.directory import read_directory
from propsync.documents.zips.members import METHODS, Unpacked
from propsync.documents.zips.source import IS_HEADER, DirectoryEntry, ZipRefused, ZipSource, open_zip, own_header

_SMALL = 10**6  # unpacked bytes up to which the ratio of a member has no bound
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
    """The limits for reading a ZIP: `ratio` is the most unpacked bytes for one packed byte.

    The ratio bounds the ZIP as a whole, and each member above 1 MB unpacked.
    """

    members: int = 50_000
    ratio: float = 100.0
    unpacked_bytes: int = 20 * 10**9


@dataclass(frozen=True)
class Member:
    """One member, as the directory declares it. An unread one has no hash, and `refused` says why."""

    name: str
    size_bytes: int
    crc32: int
    sha256: str | None
    refused: str | None


@dataclass(frozen=True)
class Bundle:
    """The members in the order of the directory; none if `refused` says why propsync does not open the ZIP further."""

    members: tuple[Member, ...]
    refused: str | None


def read_bundle(path: Path, bounds: Bounds) -> Bundle:
    """Reads a ZIP once from end to end, at bounded memory, and lists its members with their hashes.

    Raises DocumentDamaged if it is not whole, OSError if the disk cannot read it.
    """
    with open_zip(path) as source:
        try:
            return Bundle(_members(source, bounds), None)
        except ZipRefused as refused:
            return Bundle((), refused.reason)


def member_pieces(path: Path, bundle: Bundle, name: str) -> Generator[bytes, None, None]:
    """Reads a member again: its bytes in pieces of at most 1 MiB.

    Raises KeyError for a name that `bundle` does not have, or has not read; DocumentDamaged if the ZIP has changed.
    """
    if name not in _readable(bundle):
        raise KeyError(name)
    with open_again(path, bundle) as pieces_of:
        yield from pieces_of(name)


@contextmanager
def open_again(path: Path, bundle: Bundle) -> Iterator[Callable[[str], Iterator[bytes]]]:
    """Opens a ZIP again for several of its members: a call for each, with the promises of `member_pieces`."""
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
        raise source.damaged("it is not the ZIP whose directory propsync read") from error


def _members(source: ZipSource, bounds: Bounds) -> tuple[Member, ...]:
    entries = read_directory(source, bounds.members)
    _refuse_unreadable(entries)
    _refuse_bombs(entries, source.size, bounds)
    own = [own_header(source, entry) for entry in entries]
    reading = _Reading(source, entries, bounds)
    members = tuple(reading.member(entry, one.start) for entry, one in zip(entries, own, strict=True))
    if not reading.is_as_declared:
        raise ZipRefused("a member's size is not what the directory declares")
    if not all(one.is_as_declared for one in own):
        raise ZipRefused("a member's own header is not what the directory declares")
    return _without_twins(members)


def _without_twins(members: tuple[Member, ...]) -> tuple[Member, ...]:
    """Leaves members unread whose names would be one file on some disk, unless they are one file there."""
    twins: dict[str, set[tuple[str, str | None]]] = defaultdict(set)
    for member in members:
        twins[_one_name(member.name)].add((member.name, member.sha256))
    # once a name: all members may have the same
    reasons = {name: _why_unread(beside) for name, beside in twins.items()}
    return tuple(_beside(member, reasons[_one_name(member.name)]) for member in members)


def _why_unread(twins: set[tuple[str, str | None]]) -> str | None:
    if len(twins) == 1:
        return None
    how = "its name" if len({name for name, _ in twins}) == 1 else "nearly its name"
    return f"another member has {how}"


def _beside(member: Member, why: str | None) -> Member:
    return replace(member, sha256=None, refused=member.refused or why) if why else member


def _refuse_unreadable(entries: Sequence[DirectoryEntry]) -> None:
    if any(entry.is_encrypted for entry in entries):
        raise ZipRefused("a member is encrypted")
    for entry in entries:
        if entry.method not in METHODS:
            raise ZipRefused(f"a member is packed by method {entry.method}, which propsync does not read")


def _refuse_bombs(entries: Sequence[DirectoryEntry], size: int, bounds: Bounds) -> None:
    """Refuses a bomb by the declarations of the directory."""
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
    """Reads members; bytes beyond their declared sizes count towards the bounds of the whole."""

    def __init__(self, source: ZipSource, entries: Sequence[DirectoryEntry], bounds: Bounds) -> None:
        self._source, self._bounds = source, bounds
        self._tables = tables_of(entry.name for entry in entries)
        self._spare = min(bounds.unpacked_bytes, int(bounds.ratio * source.size)) - _total(entries)
        self.is_as_declared = True

    def member(self, entry: DirectoryEntry, start: int) -> Member:
        """The member, read if that is allowed."""
        refused, name, sha256 = _refusal(entry), entry.name, None
        if refused is None:
            sha256, first = self._hashed(entry, start)
            is_zip = first.startswith(IS_HEADER) and not name.lower().endswith(_DOCUMENTS)
            if is_zip or name.lower().endswith(".zip"):
                refused = "it is an archive itself"
            elif name in self._tables:
                refused = why_no_text(first)
            sha256 = None if refused else sha256
        return Member(name, entry.unpacked, entry.crc32, sha256, refused)

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
    """Why propsync does not read a member, while it reads the others; None if it does."""
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
