"""Loads the same lists with dlt, as well tuned as we know how: `python load.py merge|scd2 BASE_URL TOKEN FOLDER`.

Runs in an environment of its own (`make bench-peers`). A bare client fetches whole pages with threads, and orjson
decodes them. Then dlt makes a child table of each asset's field results and loads Parquet files into DuckDB with two
workers.
"""

import http.client
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

os.environ |= {
    "RUNTIME__DLTHUB_TELEMETRY": "false",
    "RUNTIME__LOG_LEVEL": "ERROR",
    "EXTRACT__DATA_WRITER__BUFFER_MAX_ITEMS": "20000",
    "EXTRACT__DATA_WRITER__FILE_MAX_ITEMS": "20000",  # more than one file, so that both normalisers have work
    "NORMALIZE__WORKERS": "2",
    "NORMALIZE__DATA_WRITER__BUFFER_MAX_ITEMS": "20000",
    "NORMALIZE__DATA_WRITER__FILE_MAX_ITEMS": "200000",
    "LOAD__WORKERS": "2",
    "LOAD__DELETE_COMPLETED_JOBS": "true",
    "DATA_WRITER__DISABLE_COMPRESSION": "true",
}

import dlt
import orjson

THREADS = 8
PAGE = 1000
LISTS = {
    "assets": ("/properties/assets?", "assets"),
    "for": ("/assessments?status=inprogress,submitted,approved&includeflags=true&performed=For&", "assessments"),
    "by": ("/assessments?status=inprogress,submitted,approved&includeflags=true&performed=By&", "assessments"),
    "schedules": ("/assessments/schedules?status=notstarted,inprogress&", "schedules"),
}
# of the two ways to merge by key, delete-insert took a tenth more
STRATEGIES = {"merge": "upsert", "scd2": "scd2"}
Record = dict[str, Any]


class Fetcher:
    """A kept connection a thread."""

    def __init__(self, base_url: str, token: str) -> None:
        self._base = urlsplit(base_url)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._local = threading.local()

    def pages(self, name: str) -> Iterator[list[Record]]:
        """All pages of one list, in order."""
        path, member = LISTS[name]
        first = self._get(f"{path}limit={PAGE}&page=1")
        yield first[member]
        with ThreadPoolExecutor(THREADS) as pool:
            targets = (f"{path}limit={PAGE}&page={page}" for page in range(2, -(-first["total"] // PAGE) + 1))
            yield from (page[member] for page in pool.map(self._get, targets))

    def _get(self, target: str) -> Any:
        if not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPConnection(self._base.hostname or "", self._base.port)
        self._local.connection.request("GET", target, headers=self._headers)
        answer = self._local.connection.getresponse()
        assert answer.status == 200, (target, answer.status)
        return orjson.loads(answer.read())


def assessments(fetcher: Fetcher) -> Iterator[list[Record]]:
    """Those of both lists, each once."""
    seen: set[str] = set()
    for name in ("for", "by"):
        for page in fetcher.pages(name):
            fresh = [record for record in page if record["id"] not in seen]
            seen.update(record["id"] for record in fresh)
            yield fresh


@dlt.source(max_table_nesting=1)
def estate(fetcher: Fetcher, disposition: str) -> Any:
    """The three resources; field results and flags become child tables, and their inner values stay JSON."""
    hints: Any = {"write_disposition": {"disposition": "merge", "strategy": STRATEGIES[disposition]}}
    yield dlt.resource(fetcher.pages("assets"), name="assets", primary_key="id", **hints)
    yield dlt.resource(assessments(fetcher), name="assessments", primary_key="id", **hints)
    yield dlt.resource(fetcher.pages("schedules"), name="schedules", primary_key=("property", "type"), **hints)


def main(disposition: str, base_url: str, token: str, folder: str) -> None:
    """One run of the pipeline in the folder."""
    pipeline = dlt.pipeline(
        "estate",
        pipelines_dir=str(Path(folder) / "pipelines"),
        destination=dlt.destinations.duckdb(str(Path(folder) / "warehouse.duckdb")),
        dataset_name="estate",
    )
    pipeline.run(estate(Fetcher(base_url, token), disposition), loader_file_format="parquet").raise_on_failed_jobs()
    print(f"dlt {dlt.__version__} with duckdb {version('duckdb')}")


if __name__ == "__main__":
    main(*sys.argv[1:])
