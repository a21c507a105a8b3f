"""The floor for writing back: a bare httpx loop that sends each value, reads the record back and compares.

python -m benchmarks.floor_push BASE_URL TOKEN EDITS     EDITS has lines of property, asset, field and value
"""

import csv
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from benchmarks.fetching import THREADS


def main(base_url: str, token: str, edits: Path) -> None:
    """All of them, at the concurrency that propsync may use."""
    with edits.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    headers = {"Authorization": f"Bearer {token}"}
    limits = httpx.Limits(max_connections=THREADS, max_keepalive_connections=THREADS)
    with (
        httpx.Client(base_url=base_url, headers=headers, limits=limits) as client,
        ThreadPoolExecutor(THREADS) as pool,
    ):
        list(pool.map(lambda row: _written(client, *row), rows))
    print(len(rows), "written")


def _written(client: httpx.Client, place: str, asset: str, field: str, value: str) -> None:
    done = client.patch(f"/properties/{place}/assets/{asset}", json={"values": {field: value}})
    assert done.status_code == 204, done.status_code
    answer = client.get("/properties/assets", params={"id": asset})
    (record,) = answer.json()["assets"]
    assert {one["field"]: one["value"] for one in record["fields"]}[field] == value


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
