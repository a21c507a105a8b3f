"""A word is found wherever a file may have it; what cannot be read never counts as clean."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
import zstandard
from fpdf import FPDF

from propsync.documents.worker.client import WorkerPool
from propsync.documents.zips.bundle import Bounds
from propsync.storage import LocalStorage
from propsync.traces import CLEAN, FOUND, NOT_SHOWN, Equipment, Findings, Needle, look_below, look_in_bucket
from propsync.warehouse import ForeignTables

WORD = "Zyx Quagmire"
BODY = WORD.encode()


@pytest.fixture(scope="module")
def pdf() -> Iterator[WorkerPool]:
    with WorkerPool(workers=1) as pool:
        yield pool


@pytest.fixture
def equipment(pdf: WorkerPool, tmp_path: Path) -> Iterator[Equipment]:
    work = tmp_path / "work"
    work.mkdir()
    with closing(ForeignTables(memory_limit="256MB", folder=work)) as tables:
        yield Equipment(Needle(WORD), pdf, tables, Bounds(), work)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def places(found: Findings) -> list[str]:
    return [one.place for one in found.traces]


def a_pdf(text: str, title: str = "") -> bytes:
    page = FPDF()
    page.set_title(title)
    page.add_page()
    page.set_font("helvetica", size=12)
    page.multi_cell(60, text=text)
    return bytes(page.output())


def titled(written: bytes) -> bytes:
    return a_pdf("nothing", title="TITLE").replace(b"(TITLE)", written)


def octal(text: bytes) -> bytes:
    """As some programs write titles: any sign may be a number."""
    return b"(" + b"".join(b"\\%03o" % sign if sign in b"\0\xfe\xff Zu" else bytes([sign]) for sign in text) + b")"


def packed(written: bytes) -> bytes:
    return b"9 0 obj <</Type /ObjStm>> stream\n" + zlib.compress(written) + b"\nendstream endobj\n%%EOF\n"


def a_zip(**members: bytes) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return body.getvalue()


def database(path: Path, *statements: str) -> None:
    with duckdb.connect(path, config={"storage_compatibility_version": "v1.2.0"}) as connection:
        for statement in statements:
            connection.execute(statement)


PACKED: dict[str, Callable[[], bytes]] = {
    "raw": lambda: b"\0" * 3_000_000 + BODY,
    "UTF-16": lambda: WORD.encode("utf-16-le"),
    "gzip": lambda: gzip.compress(b"." * 10_000) + gzip.compress(BODY),
    "zstd": lambda: zstandard.compress(b"." * 10_000) + zstandard.compress(BODY),
    "ZIP": lambda: a_zip(a=b"nothing", b=BODY),
    "ZIP in a ZIP": lambda: a_zip(inner=a_zip(innermost=a_zip(b=BODY))),
    "gzip in a ZIP": lambda: a_zip(inner=gzip.compress(BODY)),
    "name in a ZIP": lambda: a_zip(**{WORD: b"nothing"}),
    "PDF": lambda: a_pdf(f"Seen by {WORD} today"),
    "PDF, over two lines": lambda: a_pdf("Here comes a line that breaks at Zyx\nQuagmire, who signed"),
    "title of a PDF": lambda: a_pdf("nothing", title=WORD),
    "title of a PDF in octal numbers": lambda: titled(octal(BODY)),
    "title of a PDF in UTF-16 and octal numbers": lambda: titled(octal(codecs.BOM_UTF16_BE + WORD.encode("utf-16-be"))),
    "title of a PDF in divided digits": lambda: titled(b"<" + BODY.hex(" ").encode() + b">"),
    "title of a PDF in a packed object": lambda: titled(b"()") + packed(octal(BODY)),
    "PDF in a ZIP": lambda: a_zip(report=a_pdf(WORD)),
}


@pytest.mark.parametrize("sort", PACKED)
def test_a_word_is_found_in_each_kind_of_file(home: Path, equipment: Equipment, sort: str) -> None:
    (home / "any name.tmp").write_bytes(PACKED[sort]())
    found = look_below(home, equipment)
    assert found.verdict == FOUND, found
    assert found.unread == []


def test_the_place_is_named(home: Path, equipment: Equipment) -> None:
    (home / "deep" / "er").mkdir(parents=True)
    (home / "deep" / "er" / "one").write_bytes(a_zip(inner=a_zip(b=a_pdf(WORD))))
    named = [str(one) for one in look_below(home, equipment).traces]
    assert "deep/er/one: member inner, member b, page 1" in named


def test_the_name_of_a_file_counts(home: Path, equipment: Equipment) -> None:
    (home / "of zyx quagmire.txt").touch()
    assert places(look_below(home, equipment)) == ["its name"]


def test_every_column_of_a_database_is_read(home: Path, equipment: Equipment) -> None:
    path = home / "some.duckdb"
    database(
        path,
        f"create table packed as select 'tenant ' || (range % 97) || if(range = 777, ' {WORD}', '') as words, "
        "range as number from range(30_000)",
        f"create table nested as select [{{'a': 1, 'b': ['{WORD}']}}] as deep, '{WORD}'::blob as body",
        f"create table told as select json_object('name', '{WORD.upper()}') as payload, 1 as \"{WORD}\"",
        "create view seen as select words from packed",
        f"comment on table packed is 'about {WORD}'",
        f"create macro named() as '{WORD}'",
    )
    found = look_below(home, equipment)
    assert {
        "table main.packed, column words",
        "table main.nested, column deep",
        "table main.nested, column body",
        "table main.told, column payload",
        "view main.seen, column words",
        "table main.packed",
        f"column main.told.{WORD}",
        "macro main.named",
    } <= {*places(found)}
    assert found.unread == []


@pytest.mark.slow
def test_a_packed_column_shows_only_by_reading_it(home: Path, equipment: Equipment) -> None:
    rows = f"select 'the tenant of this flat is {WORD} ' || hash(range) as words from range(50_000)"
    for method in ("fsst", "dict_fsst", "zstd"):
        path = home / f"{method}.duckdb"
        database(path, f"pragma force_compression = '{method}'", f"create table packed as {rows}", "checkpoint")
    found = look_below(home, equipment)
    for name in ("fsst.duckdb", "dict_fsst.duckdb", "zstd.duckdb"):
        assert "table main.packed, column words" in [one.place for one in found.traces if one.file == name]


def test_a_freed_page_of_a_database_is_read(home: Path, equipment: Equipment) -> None:
    path = home / "freed.duckdb"
    database(
        path,
        "pragma force_compression = 'uncompressed'",
        f"create table gone as select '{WORD} ' || hash(range) as words from range(30_000)",
        "create table kept as select hash(range) || 'x' as words from range(90_000)",
        "checkpoint",
        "drop table gone",
        "checkpoint",
    )
    found = look_below(home, equipment)
    assert [place.partition(" ")[0] for place in places(found)] == ["byte"]
    assert "unused blocks" in str(found.raw_only)


def test_the_log_of_a_database_is_read(home: Path, equipment: Equipment, tmp_path: Path) -> None:
    writing = tmp_path / "writing.duckdb"
    with duckdb.connect(writing) as connection:
        connection.execute("pragma disable_checkpoint_on_shutdown")
        connection.execute("create table one (words varchar)")
        connection.execute("insert into one values (?)", [WORD])
    (home / "stray.wal").write_bytes((tmp_path / "writing.duckdb.wal").read_bytes())
    assert [one.file for one in look_below(home, equipment).traces] == ["stray.wal"]


@pytest.mark.parametrize("codec", ["zstd", "snappy", "gzip", "uncompressed"])
def test_every_column_of_a_parquet_file_is_read(home: Path, equipment: Equipment, codec: str) -> None:
    rows = f"select ['x', if(range = 4_444, '{WORD}', 'y')] as nested, {{'a': 'z' || range}} as other from range(9_000)"
    duckdb.execute(f"copy ({rows}) to '{home / 'one.parquet'}' (format parquet, codec {codec}, row_group_size 2048)")
    assert "column nested" in places(look_below(home, equipment))


def test_the_notes_of_a_parquet_file_are_read(home: Path, equipment: Equipment) -> None:
    path = home / "one.parquet"
    duckdb.execute(f"copy (select 1 as one) to '{path}' (format parquet, kv_metadata {{about: '{WORD}'}})")
    assert "notes" in places(look_below(home, equipment))


def test_every_row_of_an_sqlite_file_is_read(home: Path, equipment: Equipment) -> None:
    with closing(sqlite3.connect(home / "one.db")) as connection:
        connection.execute("create table events (words text)")
        connection.execute("insert into events values (?)", [json.dumps({"text": "x" * 9_000 + WORD})])
        connection.commit()
    assert "table events, column words" in places(look_below(home, equipment))


def test_a_clean_home_has_no_trace(home: Path, equipment: Equipment) -> None:
    database(home / "some.duckdb", "create table one as select 'Zyx' as first, 'Quagmire' as last")
    (home / "one.pdf").write_bytes(a_pdf("Zyx nobody"))
    (home / "one.zip").write_bytes(a_zip(a=b"Zyx", b=gzip.compress(b"Quagmire")))
    found = look_below(home, equipment)
    assert (found.verdict, found.traces, found.unread, found.files) == (CLEAN, [], [], 3)


UNREADABLE: dict[str, Callable[[], bytes]] = {
    "cut gzip": lambda: gzip.compress(bytes(range(256)) * 100)[:-20],
    "cut zstd": lambda: zstandard.compress(bytes(range(256)) * 100)[:-8],
    "cut ZIP": lambda: a_zip(a=b"nothing" * 1_000)[:-30],
    "cut PDF": lambda: a_pdf("nothing")[:-300],
    "cut Parquet": lambda: b"PAR1" + b"\0" * 100,
    "cut database": lambda: b"\0" * 8 + b"DUCK" + b"\0" * 9_000,
    "cut SQLite": lambda: b"SQLite format 3\0" + b"\x01" * 90,
    "bomb": lambda: a_zip(a=gzip.compress(b"\0" * 70_000_000)),
    "ZIPs in ZIPs": lambda: _nested(9),
    "7-Zip": lambda: b"7z\xbc\xaf\x27\x1c" + b"\0" * 100,
}


def _nested(depth: int) -> bytes:
    return a_zip(inner=_nested(depth - 1)) if depth else BODY


@pytest.mark.parametrize(
    "sort", [pytest.param(one, marks=pytest.mark.slow) if one == "bomb" else one for one in UNREADABLE]
)
def test_what_cannot_be_read_is_not_clean(home: Path, equipment: Equipment, sort: str) -> None:
    (home / "one").write_bytes(UNREADABLE[sort]())
    found = look_below(home, equipment)
    assert found.verdict == NOT_SHOWN, found
    assert found.unread[0].file == "one"
    assert found.unread[0].why


def test_the_good_part_of_a_damaged_file_is_searched(home: Path, equipment: Equipment) -> None:
    (home / "one").write_bytes(gzip.compress(BODY * 5_000 + bytes(range(256)) * 900)[:-20])
    found = look_below(home, equipment)
    assert found.traces
    assert found.unread


def test_objects_of_a_bucket_are_searched(tmp_path: Path, equipment: Equipment) -> None:
    bucket = LocalStorage(tmp_path / "bucket")
    database(tmp_path / "some.duckdb", f"create table one as select '{WORD}' || range as words from range(9_000)")
    bucket.put("published/some.duckdb", (tmp_path / "some.duckdb").read_bytes())
    bucket.put("packs/1.zip", a_zip(**{"landing/one": gzip.compress(BODY)}))
    bucket.put("archive/one.pdf", a_pdf("nothing"))
    found = look_in_bucket(bucket, "s3://bucket/home", equipment)
    assert {one.file for one in found.traces} == {
        "s3://bucket/home/published/some.duckdb",
        "s3://bucket/home/packs/1.zip",
    }
    assert "table main.one, column words" in places(found)
    assert found.unread == []


def test_the_search_leaves_no_file_behind(home: Path, equipment: Equipment) -> None:
    (home / "one").write_bytes(a_zip(a=b"\1" * 20_000_000, b=a_pdf(WORD)))
    look_below(home, equipment)
    assert list(equipment.folder.iterdir()) == []
