"""Landing without what was erased: bodies written again and hashed again, manifests that say so, and the base."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from propsync.errors import ManifestUnreadable, PageLost
from propsync.landing import Bases, Landed, LookedUp, Manifest, Manifests, PageStore
from propsync.merge import ErasedRows
from propsync.records import bytes_hash
from propsync.storage import LocalStorage, copy
from propsync.suppression import Suppression

_MEMBERS: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TYPES = "types"


class ErasedLanding:
    """Rewrites the snapshots and the base of a home. Doing so twice changes nothing."""

    def __init__(self, storage: LocalStorage, suppression: Suppression) -> None:
        self._storage = storage
        self._suppression = suppression
        self._pages = PageStore(storage)
        self._manifests = Manifests(storage)
        self._renamed: dict[str, tuple[str, int, bytes | None]] = {}

    def count(self) -> int:
        """How many bodies have anything of it. Raises PageLost, ManifestUnreadable."""
        return sum(self._suppression.json(body) is not body for body in self._bodies())

    def rewrite(self) -> None:
        """Writes bodies and manifests again, then removes the bodies that no manifest names any more."""
        for name, run_id in self._snapshots():
            self._rewrite_one(name, run_id)
        self._pages.keep_only(self._manifests.named())

    def rewrite_restored(self) -> bool:
        """The same for a landing that may be older than erasures; whether it had anything of them.

        Damaged snapshots stay as they are: a rebuild does not merge them, and names them.
        """
        is_changed = False
        for name, run_id in self._snapshots():
            with suppress(PageLost, ManifestUnreadable):
                is_changed |= self._rewrite_one(name, run_id)
        return is_changed

    def _snapshots(self) -> list[tuple[str, str]]:
        return [(name, run_id) for run_id, names in self._manifests.all_runs().items() for name in names]

    def _rewrite_one(self, name: str, run_id: str) -> bool:
        manifest = self._manifests.get(name, run_id)
        if manifest is None or (after := self._manifest(manifest)) == manifest:
            return False
        self._manifests.put(after)
        return True

    def rewrite_base(self, work: Path, rows: ErasedRows, suffix: str) -> None:
        """Writes the base's files again under other names, and its manifest last."""
        bases = Bases(self._storage)
        base = bases.newest()
        if base is None:
            return
        files = dict(base.files)
        for name, path in bases.paths(base).items():
            copied = work / f"{name}.parquet.partial"
            copy(path, copied)
            if rows.rewrite(name, copied):
                files[name] = bases.put_file(base.run_id, f"{name}.{suffix}", copied)
            else:
                copied.unlink()
        if files != base.files:
            base = replace(base, files=files)
            bases.put(base)
        bases.keep_only(base)

    def _bodies(self) -> Iterator[bytes]:
        for sha256 in sorted(self._manifests.named()):
            yield self._pages.get(sha256)

    def _manifest(self, manifest: Manifest) -> Manifest:
        words = self._suppression.text
        return replace(
            manifest,
            landed=[self._landed(one) for one in manifest.landed],
            looked_up=[
                LookedUp(tuple(map(words, one.key)), one.outcome, words(one.reason))
                for one in manifest.looked_up
                if not self._suppression.erased_key(one.key[0], manifest.resource)
            ],
            filters=[(name, [*map(words, values)]) for name, values in manifest.filters],
            shape=_walked(manifest.shape, words),
            types_shape=_walked(manifest.types_shape, words),
            settings=_walked(manifest.settings, words),
        )

    def _landed(self, landed: Landed) -> Landed:
        sha256, size_bytes, body = self._body(landed.sha256)
        if body is None:
            return replace(landed, request=self._suppression.text(landed.request))
        types_hash = landed.types_hash and _types_hash(body, landed.types_hash)
        request = self._suppression.text(landed.request)
        return replace(landed, sha256=sha256, size_bytes=size_bytes, request=request, types_hash=types_hash)

    def _body(self, sha256: str) -> tuple[str, int, bytes | None]:
        """The hash, size and bytes of a body without it; no bytes if it is the same."""
        if sha256 not in self._renamed:
            before = self._pages.get(sha256)
            after = self._suppression.json(before)
            if after is before:
                self._renamed[sha256] = (sha256, len(before), None)
            else:
                name = self._pages.put(gzip.compress(after, mtime=0), after)
                self._renamed[sha256] = (name, len(after), after if _TYPES.encode() in after else b"")
        return self._renamed[sha256]


def _types_hash(body: bytes, before: str) -> str:
    """The hash of the types beside a page's records."""
    try:
        types = _MEMBERS.decode(body).get(_TYPES)
    except msgspec.DecodeError:
        return before
    return bytes_hash(types) if types is not None else before


def _walked(value: Any, words: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return words(value)
    if isinstance(value, dict):
        return {words(name): _walked(inner, words) for name, inner in value.items()}
    return [_walked(inner, words) for inner in value] if isinstance(value, list) else value
