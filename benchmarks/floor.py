"""The floor: the least work, done once and without care.

No certificates, landing, history, checks, comments or discovery: it knows every place.

    python -m benchmarks.floor load BASE_URL TOKEN FOLDER [DESK]    all lists to warehouse.duckdb and Parquet in FOLDER
    python -m benchmarks.floor learn BASE_URL TOKEN FOLDER          the hash and the key of every record, for a night
    python -m benchmarks.floor night BASE_URL TOKEN FOLDER [DESK]   all lists again; what changed to tables and Parquet
    python -m benchmarks.floor reread BASE_URL TOKEN FOLDER         no API: cuts and hashes the page files in FOLDER

DESK has the statements of the marts and a state to run them on: see benchmarks/desk_script.py.
"""

import hashlib
import os
import pickle
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from benchmarks.fetching import LISTS, THREADS, TYPES, Fetcher, cut

Key = str | tuple[str, str]
Known = dict[bytes, Key]
"""The key of the record with each hash."""


class _Told(msgspec.Struct):
    id: str = ""
    property: str = ""
    type: str = ""


_told = msgspec.json.Decoder(_Told).decode


def _hash(record: bytes | msgspec.Raw) -> bytes:
    """SHA-256, as for what propsync keeps and proves by."""
    return hashlib.sha256(record).digest()


def _key(record: bytes | msgspec.Raw) -> Key:
    told = _told(record)
    return told.id or (told.property, told.type)


def load(base_url: str, token: str, folder: Path, desk: Path | None = None) -> None:
    """Everything, from the API to Parquet."""
    from benchmarks.floor_load import build, write_lines  # DuckDB, which a quiet night does without

    fetcher = Fetcher(base_url, token)
    with ThreadPoolExecutor(THREADS) as pool:
        for name, (path, member) in LISTS.items():
            write_lines(folder / f"{name}.ndjson", fetcher.pages(path, member, pool))
    build(folder, fetcher.get(TYPES), _memory_limit())
    _run_desk(desk, folder)


def learn(base_url: str, token: str, folder: Path, _desk: Path | None = None) -> None:
    """Fetches, and keeps what the next night compares with."""
    fetcher = Fetcher(base_url, token)
    with ThreadPoolExecutor(THREADS) as pool:
        lists = {name: _compared(fetcher.pages(*place, pool), {})[0] for name, place in LISTS.items()}
    (folder / "known").write_bytes(pickle.dumps(lists))


def night(base_url: str, token: str, folder: Path, desk: Path | None = None) -> None:
    """Fetches again, brings the tables up to date, and writes those that changed; prints how many records did."""
    fetcher, file = Fetcher(base_url, token), folder / "known"
    types = fetcher.get(TYPES)
    known: dict[str, Known] = pickle.loads(file.read_bytes())
    now: dict[str, Known] = {}
    fresh: dict[str, list[msgspec.Raw]] = {}
    with ThreadPoolExecutor(THREADS) as pool:
        for name, place in LISTS.items():
            now[name], fresh[name] = _compared(fetcher.pages(*place, pool), known[name])
    gone = {name: {known[name][digest] for digest in known[name].keys() - now[name].keys()} for name in LISTS}
    if any(fresh.values()) or any(gone.values()):
        from benchmarks.floor_night import renew

        renew(folder, types, fresh, gone, _memory_limit())
        file.write_bytes(pickle.dumps(now))
    _run_desk(desk, folder)
    print(sum(map(len, fresh.values())), "changed")


def _compared(pages: Iterable[list[msgspec.Raw]], known: Known) -> tuple[Known, list[msgspec.Raw]]:
    """The records of now by their hashes, and those with a new hash."""
    now: Known = {}
    fresh: list[msgspec.Raw] = []
    for records in pages:
        digests = [*map(_hash, records)]
        new = [place for place, digest in enumerate(digests) if digest not in known]
        now |= {digest: known[digest] for digest in digests if digest in known}
        now |= {digests[place]: _key(records[place]) for place in new}
        fresh += [records[place] for place in new]
    return now, fresh


def _run_desk(desk: Path | None, folder: Path) -> None:
    if desk:
        from benchmarks.floor_desk import run

        run(desk, folder, _memory_limit())


def _memory_limit() -> str:
    return os.environ.get("PROPSYNC_MEMORY_LIMIT", "1GB")


def reread(_base_url: str, _token: str, folder: Path, _desk: Path | None = None) -> None:
    """Reads page files of any number of nights; prints how many records they have, each version counted once."""
    hashes: set[bytes] = set()
    for member in ("assets", "assessments", "schedules"):
        for page in folder.glob(f"*/{member}/*/1000/*.json"):
            hashes.update(map(_hash, cut(member, page.read_bytes())[1]))
    print(len(hashes), "versions")


_WAYS: dict[str, Callable[[str, str, Path, Path | None], None]] = {
    "load": load,
    "learn": learn,
    "night": night,
    "reread": reread,
}

if __name__ == "__main__":
    way, base_url, token, folder, *desk = sys.argv[1:]
    _WAYS[way](base_url, token, Path(folder), Path(desk[0]) if desk else None)
