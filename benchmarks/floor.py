"""The floor: fetches the API's lists and loads them with one set of SQL statements, and does nothing else.

No certificates, landing, history, checks, comments or discovery: it knows where everything stands. `python -m
benchmarks.floor load|quiet BASE_URL TOKEN FOLDER` makes warehouse.duckdb and Parquet in FOLDER, or fetches again and
compares a hash of each record with those that `load` left there.
"""

import gzip
import http.client
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
import msgspec

THREADS = 8
PAGE = 1000
ASSETS, TYPES = "/properties/assets", "/properties/assets/types"
ASSESSMENTS = "/assessments?status=inprogress,submitted,approved&includeflags=true&performed="
SCHEDULES = "/assessments/schedules?status=notstarted,inprogress"
LISTS = {
    "assets": (ASSETS, "assets"),
    "assessments_for": (ASSESSMENTS + "For", "assessments"),
    "assessments_by": (ASSESSMENTS + "By", "assessments"),
    "schedules": (SCHEDULES, "schedules"),
}
_PAGE_OF = {
    member: msgspec.json.Decoder(
        msgspec.defstruct("Page", [("total", int), ("records", list[msgspec.Raw], msgspec.field(name=member))])
    )
    for member in ("assets", "assessments", "schedules")
}


class Fetcher:
    """A kept connection a thread."""

    def __init__(self, base_url: str, token: str) -> None:
        self._base = urlsplit(base_url)
        self._headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "gzip"}
        self._local = threading.local()

    def get(self, target: str) -> bytes:
        """The body of one answer."""
        if not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPConnection(self._base.hostname or "", self._base.port)
        self._local.connection.request("GET", target, headers=self._headers)
        answer = self._local.connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (target, answer.status)
        return gzip.decompress(body) if answer.headers["Content-Encoding"] == "gzip" else body

    def page(self, path: str, member: str, number: int) -> tuple[int, list[msgspec.Raw]]:
        """Total and records of one page."""
        separator = "&" if "?" in path else "?"
        page = _PAGE_OF[member].decode(self.get(f"{path}{separator}limit={PAGE}&page={number}"))
        return page.total, page.records

    def pages(self, path: str, member: str, pool: ThreadPoolExecutor) -> Iterator[list[msgspec.Raw]]:
        """All pages of one list, in order."""
        total, records = self.page(path, member, 1)
        rest = pool.map(lambda number: self.page(path, member, number)[1], range(2, -(-total // PAGE) + 1))
        return chain([records], rest)


def database(folder: Path, memory_limit: str) -> duckdb.DuckDBPyConnection:
    """The warehouse file, with propsync's settings."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "storage_compatibility_version": "v1.2.0",
        "memory_limit": memory_limit,
        "temp_directory": str(folder),
        "preserve_insertion_order": False,
    }
    return duckdb.connect(folder / "warehouse.duckdb", config=config)


def load(fetcher: Fetcher, folder: Path, memory_limit: str) -> None:
    """Everything, from the API to Parquet."""
    (folder / "warehouse.duckdb").unlink(missing_ok=True)
    types = json.loads(fetcher.get(TYPES))["type"]
    (folder / "types.json").write_text(json.dumps(types))
    with ThreadPoolExecutor(THREADS) as pool:
        for name, (path, member) in LISTS.items():
            with (folder / f"{name}.ndjson").open("wb") as lines:
                for records in fetcher.pages(path, member, pool):
                    lines.write(b"\n".join([*map(memoryview, records), b""]))
    sql = (Path(__file__).parent / "floor.sql").read_text()
    with database(folder, memory_limit) as connection:
        connection.execute(sql.replace("{folder}", str(folder)))
        write_wide_tables(connection, types)
        write_parquet(connection, folder)
        connection.execute("checkpoint")


def write_wide_tables(connection: duckdb.DuckDBPyConnection, types: list[dict[str, object]]) -> None:
    """A table a type, a column a field."""
    kinds = dict(
        connection.execute(
            "select field_id, max(kind) from asset_field_values where kind in ('date', 'time') group by field_id"
        ).fetchall()
    )
    columns = {"number": "value_number", "date": "value_date", "time": "value_time", "text": "value_text"}
    columns |= {"qr": "value_text", "option": "array_to_string(value_option_labels, '; ')"}
    connection.execute("create schema by_type")
    for one in types:
        wanted = [
            f", any_value({columns.get(kinds.get(field['id'], field['type']), 'value_json')}) "
            f"filter (field_id = '{field['id']}') as f{place}_{snake_case(str(field['label']))}"
            for place, field in enumerate(one["fields"])  # type: ignore[arg-type, var-annotated]  # from JSON
        ]
        connection.execute(
            f"create table by_type.{snake_case(str(one['name']))} as "
            f"select asset_id, any_value(property_id) as property_id{''.join(wanted)} from asset_field_values "
            f"where asset_type_id = '{one['id']}' group by asset_id"
        )


def snake_case(label: str) -> str:
    """A label as a name."""
    return re.sub(r"\W+", "_", label.lower()).strip("_")


def write_parquet(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """A file a table."""
    tables = connection.execute(
        "select schema_name, table_name from duckdb_tables() where not temporary order by all"
    ).fetchall()
    for schema, table in tables:
        target = folder / "parquet" / schema / f"{table}.parquet"
        target.parent.mkdir(parents=True, exist_ok=True)
        connection.execute(f"copy {schema}.{table} to '{target}' (format parquet, compression zstd)")


def quiet(fetcher: Fetcher, folder: Path) -> int:
    """Fetches again; how many records have a hash that was not there before."""
    fetcher.get(TYPES)
    known = folder / "hashes"
    before = frozenset(known.read_bytes().split(b"\n")) if known.exists() else frozenset()
    hashes: list[bytes] = []
    with ThreadPoolExecutor(THREADS) as pool:
        for path, member in LISTS.values():
            for records in fetcher.pages(path, member, pool):
                hashes += [blake2b(record, digest_size=16).hexdigest().encode() for record in records]
    known.write_bytes(b"\n".join(hashes))
    return len(set(hashes) - before)


def main(what: str, base_url: str, token: str, folder: str) -> None:
    """Runs one of the two."""
    fetcher = Fetcher(base_url, token)
    if what == "load":
        load(fetcher, Path(folder), os.environ.get("PROPSYNC_MEMORY_LIMIT", "1GB"))
    else:
        print(quiet(fetcher, Path(folder)), "changed")


if __name__ == "__main__":
    main(*sys.argv[1:])
