"""The floor for documents: a bare httpx loop that streams each to a file, hashes it meanwhile and waits for the
disk. With PROPSYNC_STORAGE_URL it puts each into that bucket instead of waiting for the disk.

python -m benchmarks.floor_documents BASE_URL TOKEN FOLDER
"""

import hashlib
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path

import httpx
import msgspec
import obstore
from obstore.store import S3Store

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
        keep = partial(_put, _bucket()) if "PROPSYNC_STORAGE_URL" in os.environ else _synced
        kept = set(pool.map(lambda target: _kept(client, target, folder, keep), wanted))
    print(len(kept), "documents")


def _approved(base_url: str, token: str) -> set[str]:
    fetcher = Fetcher(base_url, token)
    with ThreadPoolExecutor(THREADS) as pool:
        lists = [LISTS[name] for name in ("assessments_for", "assessments_by")]
        records = (one for path, member in lists for page in fetcher.pages(path, member, pool) for one in page)
        decoded = map(msgspec.json.decode, records)
        return {one["id"] for one in decoded if one["status"] == "approved"}


def _kept(client: httpx.Client, target: str, folder: Path, keep: Callable[[Path, str], None]) -> str:
    digest = hashlib.sha256()
    path = folder / target.replace("/", "_")
    with client.stream("GET", target) as response, path.open("wb") as file:
        assert response.status_code == 200, (target, response.status_code)
        for chunk in response.iter_raw():
            digest.update(chunk)
            file.write(chunk)
    sha256 = digest.hexdigest()
    keep(path, sha256)
    return sha256


def _synced(path: Path, sha256: str) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
    path.rename(path.with_name(sha256))


def _put(bucket: S3Store, path: Path, sha256: str) -> None:
    obstore.put(bucket, sha256, path)
    path.unlink()


def _bucket() -> S3Store:
    name, _, folder = os.environ["PROPSYNC_STORAGE_URL"].removeprefix("s3://").partition("/")
    return S3Store(
        name,
        prefix=f"{folder}/floor",
        endpoint=os.environ["AWS_ENDPOINT_URL"],
        access_key_id=os.environ["AWS_ACCESS_KEY_ID"],
        secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
        region="us-east-1",
        client_options={"allow_http": True, "timeout": timedelta(seconds=60)},
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
