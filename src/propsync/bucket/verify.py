"""Reads back all that the bucket holds of a home, and compares hashes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from propsync.bucket.commits import Contents, Place
from propsync.bucket.documents import named_sha256, sha256_there
from propsync.bucket.packs import download, some_blocks
from propsync.progress import progress
from propsync.storage import LocalStorage, Storage, remove, sha256_of_blocks
from propsync.storage.places import DOCUMENTS

_AT_ONCE = 8


def damaged_files(home: LocalStorage, storage: Storage, contents: Contents) -> Iterator[str]:
    """The files of home whose bytes in the bucket are not those that the commits name."""
    by_object: dict[str, list[Place]] = defaultdict(list)
    names = {place: key for key, place in contents.places.items()}
    for place in contents.places.values():
        by_object[place.object_key].append(place)
    path = home.root / "state" / "work" / "verified.partial"
    for object_key, places in sorted(by_object.items()):
        try:
            download(storage, object_key, path)
            with path.open("rb") as file:
                for place in places:
                    file.seek(place.offset)
                    if sha256_of_blocks(some_blocks(file.read, place.size)) != place.sha256:
                        yield names[place]
        finally:
            remove(path)


def damaged_documents(storage: Storage) -> list[str]:
    """The documents in the bucket whose bytes do not have the hash of their name."""
    keys = list(storage.list(DOCUMENTS))

    def is_damaged(key: str) -> bool:
        return sha256_there(storage, key) != named_sha256(key)

    with progress("Verifying", len(keys), "documents") as bar, ThreadPoolExecutor(_AT_ONCE) as pool:
        found = []
        for key, bad in zip(keys, pool.map(is_damaged, keys), strict=True):
            found += [key] if bad else []
            bar.advance()
    return found
