"""The floor: the least work, done once and without care.

No certificates, landing, history, checks, comments or discovery: it knows every place.

    python -m benchmarks.floor load BASE_URL TOKEN FOLDER     all lists to warehouse.duckdb and Parquet in FOLDER
    python -m benchmarks.floor quiet BASE_URL TOKEN FOLDER    all lists again; how many records have another hash
    python -m benchmarks.floor reread BASE_URL TOKEN FOLDER   no API: cuts and hashes the page files in FOLDER
"""

import hashlib
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from benchmarks.fetching import LISTS, THREADS, TYPES, Fetcher, cut

_WIDTH = 32


def _hash(record: bytes | msgspec.Raw) -> bytes:
    """SHA-256, as for what propsync keeps and proves by."""
    return hashlib.sha256(record).digest()


def load(base_url: str, token: str, folder: Path) -> None:
    """Everything, from the API to Parquet."""
    from benchmarks.floor_load import build, write_lines  # DuckDB, which the other two do without

    fetcher = Fetcher(base_url, token)
    with ThreadPoolExecutor(THREADS) as pool:
        for name, (path, member) in LISTS.items():
            write_lines(folder / f"{name}.ndjson", fetcher.pages(path, member, pool))
    build(folder, fetcher.get(TYPES), os.environ.get("PROPSYNC_MEMORY_LIMIT", "1GB"))


def quiet(base_url: str, token: str, folder: Path) -> None:
    """Fetches again; prints how many records have a new hash."""
    fetcher = Fetcher(base_url, token)
    fetcher.get(TYPES)
    known = folder / "hashes"
    before = known.read_bytes() if known.exists() else b""
    hashes: list[bytes] = []
    with ThreadPoolExecutor(THREADS) as pool:
        for path, member in LISTS.values():
            for records in fetcher.pages(path, member, pool):
                hashes += map(_hash, records)
    known.write_bytes(b"".join(hashes))
    seen = {before[begin : begin + _WIDTH] for begin in range(0, len(before), _WIDTH)}
    print(len(set(hashes) - seen), "changed")


def reread(_base_url: str, _token: str, folder: Path) -> None:
    """Reads page files of any number of nights; prints how many records they have, each version counted once."""
    hashes: set[bytes] = set()
    for member in ("assets", "assessments", "schedules"):
        for page in folder.glob(f"*/{member}/*/1000/*.json"):
            hashes.update(map(_hash, cut(member, page.read_bytes())[1]))
    print(len(hashes), "versions")


_WAYS: dict[str, Callable[[str, str, Path], None]] = {"load": load, "quiet": quiet, "reread": reread}

if __name__ == "__main__":
    _WAYS[sys.argv[1]](sys.argv[2], sys.argv[3], Path(sys.argv[4]))
