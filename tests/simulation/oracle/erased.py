"""An erasure: nothing of it is left in any file, and all that it did not name is as it was."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import zstandard

from propsync_sandbox import Key
from propsync_sandbox.jsontext import decode_exactly, encode

from .canonical import canonical, unsigned
from .past import TYPES
from .problems import Problems
from .published import Published, Version
from .state import opened
from .veil import Target, Veil

_PSEUDONYM = re.compile(r"erased-[0-9a-f]{16}")
_GZIP, _ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"
_PIECE = 65_536
Histories = dict[str, dict[Key, list[Version]]]


def begun(home: Path) -> dict[str, Any] | None:
    """The erasure of a home as its own file tells it."""
    files = list((home / "landing" / "erasures").glob("*.json"))
    told: dict[str, Any] | None = json.loads(files[0].read_bytes()) if files else None
    return told


class Before:
    """The history of a home just before an erasure, published or not."""

    def __init__(self, home: Path) -> None:
        with opened(home / "state") as connection:
            assert connection is not None
            connection.execute("set timezone = 'UTC'")
            found = Published(connection, home)
            self._histories: Histories = {name: found.history(name) for name in found.with_types}
            self._merged = set(found.rows("select resource, run_id from ops.run_resources"))

    def veil(self, target: Target, told: dict[str, Any], problems: Problems) -> Veil:
        """The view of the tables from now on."""
        pseudonym = told["pseudonym"]
        is_named = (
            pseudonym is None if target.kind in ("asset field", "text") else bool(_PSEUDONYM.fullmatch(pseudonym))
        )
        problems.expect(is_named, "an erased id leaves a pseudonym", pseudonym)
        veil = Veil(target, pseudonym)
        for resource, by_key in self._histories.items():
            for key, versions in by_key.items():
                if target.is_record(resource, key):
                    veil.intervals = {(one.valid_from, one.valid_to, one.run_id) for one in versions}
                    continue
                known: tuple[Any, ...] | None = None
                for one in versions:
                    content = (_content(resource, veil.payload(resource, key, one.payload)), *one.facts)
                    if one.change == "update" and content == known:
                        veil.same.add((resource, key, one.valid_from))
                    known = content
        return veil

    def check(self, found: Published, veil: Veil, problems: Problems) -> None:
        """Each version still exists, as the veil shows it; others come from runs that had not been merged."""
        for resource, by_key in self._histories.items():
            after = {(one.key, one.valid_from): one for of in found.history(resource).values() for one in of}
            for key, versions in by_key.items():
                for version in versions:
                    is_erased = veil.target.is_record(resource, key)
                    now = after.pop((str(veil.pseudonym) if is_erased else key, version.valid_from), None)
                    self._check_version(resource, version, now, veil, problems)
            new = [str(place) for place, one in after.items() if (resource, one.run_id) in self._merged]
            problems.expect(not new, "an erasure makes no version", resource, new)

    def _check_version(
        self, resource: str, before: Version, after: Version | None, veil: Veil, problems: Problems
    ) -> None:
        name = f"{resource} {before.key} {before.change} at {before.run_id}"
        if after is None:
            problems.add("an erasure loses no interval", name)
            return
        ends = before.valid_to == after.valid_to
        if before.valid_to is None and after.valid_to is not None:  # a run that was landed, and is merged only now
            ends = (resource, after.valid_to.strftime("%Y%m%dT%H%M%S%fZ")) not in self._merged
        same = ends and before.run_id == after.run_id
        problems.expect(same, "an erasure leaves intervals as they are", name, before, after)
        if veil.target.is_record(resource, before.key):
            is_so = after.change == "erase" and after.payload is None
            problems.expect(is_so, "an erased version has no payload", name, after)
            return
        same = before.change == after.change and before.facts == after.facts
        veiled = veil.payload(resource, before.key, unsigned(before.payload))
        same = same and veiled == decode_exactly(unsigned(after.payload).encode())
        problems.expect(same, "an erasure leaves other versions as they are", name, before.payload, "≠", after.payload)


def check_erased_rows(found: Published, veil: Veil | None, problems: Problems) -> None:
    """History keeps the intervals of an erased record, and no others."""
    for resource in found.with_types:
        rows = [one for of in found.history(resource).values() for one in of if one.change == "erase"]
        is_here = veil is not None and veil.target.resource == resource
        names = {one.key for one in rows}
        wanted = {veil.pseudonym} if veil is not None and is_here and rows else set()
        problems.expect(names == wanted, "erased intervals have a pseudonym", resource, names, wanted)
        problems.expect(all(one.payload is None for one in rows), "an erased version has no payload", resource, names)
        starts = {one.valid_from for one in rows}
        known = {since for since, _, _ in veil.intervals} if veil is not None and is_here else set()
        problems.expect(starts == known, "erased intervals stay", resource, starts ^ known)


def traces(folder: Path, target: Target, *, with_copies: bool = True) -> list[str]:
    """The places below a folder that have it: names, bytes, packed bytes, and rows of databases and Parquet files.

    Without copies, Parquet files count by their bytes alone: they have the rows of what is published beside them.
    """
    found = []
    coding = "latin-1" if target.words.isascii() else "utf-8"  # the first is faster
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        name = str(path.relative_to(folder))
        if target.pattern.search(name):
            found.append(f"{name}: its name")
        found += [f"{name}: {place}" for place, text in _texts(path, coding) if target.pattern.search(text)]
    if with_copies:
        with duckdb.connect(config={"threads": 1}) as connection:
            for path in folder.rglob("*.parquet"):
                if target.pattern.search(_rows(connection, f"read_parquet('{path}')")):
                    found.append(f"{path.relative_to(folder)}: rows")
    return found


def _texts(path: Path, coding: str) -> Iterator[tuple[str, str]]:
    raw = path.read_bytes()
    yield "bytes", raw.decode(coding, "replace")
    for body in _unpacked(raw):
        yield "packed bytes", body.decode(coding, "replace")
    if path.suffix == ".duckdb":
        with duckdb.connect(path, read_only=True, config={"threads": 1}) as connection:
            tables = connection.execute("select schema_name, table_name from duckdb_tables() where estimated_size > 0")
            for schema, table in tables.fetchall():
                yield f"{schema}.{table}", _rows(connection, f'"{schema}"."{table}"')


def _rows(connection: duckdb.DuckDBPyConnection, source: str) -> str:
    return "\n".join(row for (row,) in connection.execute(f"select t::varchar from {source} as t").fetchall())


def _unpacked(raw: bytes) -> Iterator[bytes]:
    """All packed bytes, at any place in a file: the packs of a bucket have many bodies."""
    view = memoryview(raw)
    for at in _places(raw, _GZIP):
        try:
            yield _body(view[at:], zlib.decompressobj(31))
        except zlib.error:
            continue
    for at in _places(raw, _ZSTD):
        try:
            yield _body(view[at:], zstandard.ZstdDecompressor().decompressobj())
        except zstandard.ZstdError:
            continue


def _body(view: memoryview, unpacker: Any) -> bytes:
    """One body, piece by piece: an unpacker copies whatever follows it."""
    pieces = (unpacker.decompress(view[at : at + _PIECE]) for at in range(0, len(view), _PIECE) if not unpacker.eof)
    return b"".join(pieces)


def _places(raw: bytes, magic: bytes) -> Iterator[int]:
    at = raw.find(magic)
    while at >= 0:
        yield at
        at = raw.find(magic, at + 1)


def _content(resource: str, value: Any) -> Any:
    return value if resource in TYPES else canonical(resource, encode(value))
