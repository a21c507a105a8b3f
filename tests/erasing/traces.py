"""An independent search of every file below a folder, unpacked, for bytes that nobody may find."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import zstandard


def traces(folder: Path, *words: str) -> list[str]:
    """The places that have one of the words, in any case."""
    pattern = re.compile("|".join(re.escape(word) for word in words), re.IGNORECASE)
    found = []
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        name = str(path.relative_to(folder))
        if pattern.search(name):
            found.append(f"{name}: its name")
        found += [f"{name}: {place}" for place, text in _texts(path) if pattern.search(text)]
    return found


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    raw = path.read_bytes()
    for place, body in _unpacked(raw):
        yield place, body.decode("utf-8", "replace")
        yield f"{place}, in UTF-16", body.decode("utf-16-le", "replace")
        if b"\\u" in body:
            yield (
                f"{place}, escapes",
                re.sub(r"\\u([0-9a-fA-F]{4})", lambda one: chr(int(one[1], 16)), body.decode("utf-8", "replace")),
            )
    if path.suffix == ".duckdb":
        yield from _of_database(path)
    elif path.suffix == ".parquet":
        with duckdb.connect() as connection:
            yield (
                "rows",
                "\n".join(row[0] for row in connection.execute(f"select t::varchar from '{path}' as t").fetchall()),
            )


def _unpacked(raw: bytes) -> Iterator[tuple[str, bytes]]:
    yield "raw", raw
    if raw.startswith(b"\x1f\x8b"):
        yield "gzip", gzip.decompress(raw)
    elif raw.startswith(b"\x28\xb5\x2f\xfd"):
        yield "zstd", zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True).read()
    elif raw.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            for name in archive.namelist():
                yield from ((f"zip {name}, {how}", body) for how, body in _unpacked(archive.read(name)))


def _of_database(path: Path) -> Iterator[tuple[str, str]]:
    with duckdb.connect(path, read_only=True) as connection:
        named = connection.execute("select schema_name, table_name from duckdb_tables() where not internal").fetchall()
        for schema, table in named:
            rows = connection.execute(f'select t::varchar from {schema}."{table}" as t').fetchall()
            yield f"{schema}.{table}", "\n".join(row[0] for row in rows)
