"""A bundle.zip: whether it is whole, whether it may be read, and what it holds. Member names are never paths here.

A ZIP that is not whole is not kept. One that is whole is kept, and refused as a whole where it

- has more members than the bound, or a directory that is too long to be held;
- has encrypted members, or members packed by another method than stored and deflated;
- unpacks to more bytes than the bound, or to more for one packed byte than the bound, by what it declares;
- has members that overlap;
- has two members with one name, also where only case, composition of letters, `./` or the kind of slash differ;
- holds another archive, which could hide all of these.

The first four are told before anything is unpacked, and such a ZIP is whole as far as its directory and its end show;
the last two only once every checksum has been found right.
"""

from __future__ import annotations

import hashlib
import re
import stat
import unicodedata
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from propsync.documents.zip_directory import (
    IS_HEADER,
    Entry,
    Refused,
    ZipSource,
    member_start,
    open_zip,
    read_directory,
)
from propsync.documents.zip_members import METHODS, unpacked

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
        except Refused as refused:
            return Bundle((), refused.reason)


def member_pieces(path: Path, bundle: Bundle, name: str) -> Generator[bytes, None, None]:
    """One member that was read before, again: its bytes in pieces of at most 1 MiB.

    Raises KeyError for a name that `bundle` has not, or has not read; DocumentDamaged where the ZIP is another by now.
    """
    if not any(member.name == name and member.sha256 for member in bundle.members):
        raise KeyError(name)
    with open_zip(path) as source:
        try:
            entries = {entry.name: entry for entry in read_directory(source, len(bundle.members))}
            start = member_start(source, entries[name])
        except (Refused, KeyError) as error:
            raise source.damaged("it is not the ZIP that was listed") from error
        yield from unpacked(source, entries[name], start)


def _members(source: ZipSource, bounds: Bounds) -> tuple[Member, ...]:
    entries = read_directory(source, bounds.members)
    _refuse_unreadable(entries)
    _refuse_bombs(entries, source.size, bounds)
    starts = [member_start(source, entry) for entry in entries]
    read = [_read(source, entry, start) for entry, start in zip(entries, starts, strict=True)]
    if len({_one_name(entry.name) for entry in entries}) < len(entries):
        raise Refused("two members have one name")
    if any(is_archive for _, is_archive in read):
        raise Refused("it holds another archive")
    return tuple(member for member, _ in read)


def _refuse_unreadable(entries: Sequence[Entry]) -> None:
    if any(entry.is_encrypted for entry in entries):
        raise Refused("a member is encrypted")
    for entry in entries:
        if entry.method not in METHODS:
            raise Refused(f"a member is packed by method {entry.method}, which is not read")


def _refuse_bombs(entries: Sequence[Entry], size: int, bounds: Bounds) -> None:
    """By what the directory declares, which reading then holds it to."""
    total = sum(entry.unpacked for entry in entries)
    if total > bounds.unpacked_bytes:
        raise Refused(f"it unpacks to {total:,} bytes, more than {bounds.unpacked_bytes:,}")
    if total > bounds.ratio * size:
        raise Refused(f"it unpacks to {total // size:,} times its size")
    for entry in entries:
        if entry.unpacked > max(_SMALL, bounds.ratio * entry.packed):
            raise Refused(f"a member unpacks to {entry.unpacked // max(entry.packed, 1):,} times its size")


def _read(source: ZipSource, entry: Entry, start: int) -> tuple[Member, bool]:
    """The member, read where that is allowed, and whether it is an archive."""
    refused = _refusal(entry)
    name, is_archive, sha256 = entry.name, entry.name.lower().endswith(".zip"), None
    if refused is None:
        sha256, first = _hashed(source, entry, start)
        is_archive = is_archive or (first == IS_HEADER and not name.lower().endswith(_DOCUMENTS))
    return Member(name, entry.unpacked, entry.crc32, sha256, refused), is_archive


def _hashed(source: ZipSource, entry: Entry, start: int) -> tuple[str, bytes]:
    """The SHA-256 of a member, and its first four bytes."""
    sha256, first = hashlib.sha256(), b""
    for piece in unpacked(source, entry, start):
        sha256.update(piece)
        first += piece[: 4 - len(first)]
    return sha256.hexdigest(), first


def _refusal(entry: Entry) -> str | None:
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
