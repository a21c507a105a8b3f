"""The floor for documents: a bare httpx loop that streams each to a file, hashes it meanwhile and waits for the
disk.

python -m benchmarks.floor_documents BASE_URL TOKEN FOLDER
"""

import hashlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import msgspec

from benchmarks.fetching import LISTS, THREADS, Fetcher


def main(base_url: str, token: str, folder: Path) -> None:
    """Both documents of every approved assessment, at the concurrency that propsync may use."""
    wanted = [
        f"/assessments/{one}/{name}" for one in _approved(base_url, token) for name in ("report.pdf", "bundle.zip")
    ]
    headers = {"Authorization": f"Bearer {token}"}
    limits = httpx.Limits(max_connections=THREADS, max_keepalive_connections=THREADS)
    with (
        httpx.Client(base_url=base_url, headers=headers, limits=limits) as client,
        ThreadPoolExecutor(THREADS) as pool,
    ):
        kept = set(pool.map(lambda target: _kept(client, target, folder), wanted))
    print(len(kept), "documents")


def _approved(base_url: str, token: str) -> set[str]:
    fetcher = Fetcher(base_url, token)
    with ThreadPoolExecutor(THREADS) as pool:
        lists = [LISTS[name] for name in ("assessments_for", "assessments_by")]
        records = (one for path, member in lists for page in fetcher.pages(path, member, pool) for one in page)
        decoded = map(msgspec.json.decode, records)
        return {one["id"] for one in decoded if one["status"] == "approved"}


def _kept(client: httpx.Client, target: str, folder: Path) -> str:
    digest = hashlib.sha256()
    partial = folder / target.replace("/", "_")
    with client.stream("GET", target) as response, partial.open("wb") as file:
        assert response.status_code == 200, (target, response.status_code)
        for chunk in response.iter_raw():
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    sha256 = digest.hexdigest()
    partial.rename(folder / sha256)
    return sha256


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
