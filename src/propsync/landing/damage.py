"""Finds damage in landing: files that are missing, or whose bytes have changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from propsync.errors import BaseLost, ManifestUnreadable, PageLost
from propsync.landing.bases import Bases
from propsync.landing.manifests import Manifests, manifest_key
from propsync.landing.pages import PageStore, page_key
from propsync.storage import LocalStorage


@dataclass(frozen=True)
class Damage:
    """A damaged file of one snapshot. `resource` is "base" for a file of the base; `file` is relative to home."""

    run_id: str
    resource: str
    file: str
    what: str
    is_denied: bool = False
    """Whether this user may not read the file, which may be sound."""


@dataclass
class Inspection:
    """Looks at every file of landing, newest runs first, and hashes bodies up to `most_bytes` unpacked.

    Of the other bodies it sees only whether they exist. `bodies` and `hashed` count them.
    """

    storage: LocalStorage
    most_bytes: int
    bodies: int = 0
    hashed: int = 0
    _flaws: dict[str, PageLost | None] = field(default_factory=dict)
    """The fault of each body inspected so far, by its hash."""

    def damage(self, expected: Iterable[tuple[str, str]]) -> list[Damage]:
        """The damage, newest first; `expected` are the run and resource of each snapshot that should exist."""
        bases, manifests = Bases(self.storage), Manifests(self.storage)
        until = bases.newest_run() or ""
        landed = {(run_id, name) for run_id, names in manifests.all_runs().items() for name in names}
        found = list(_of_base(bases, until))
        for run_id, name in sorted(landed | set(expected), reverse=True):
            if run_id <= until:
                continue
            if (run_id, name) not in landed:
                found.append(Damage(run_id, name, manifest_key(name, run_id), "it is missing"))
                continue
            found += self._of_snapshot(manifests, run_id, name)
        return found

    def _of_snapshot(self, manifests: Manifests, run_id: str, name: str) -> Iterator[Damage]:
        try:
            pages = manifests.pages_of(name, run_id)
        except ManifestUnreadable as error:
            yield _as_damage(run_id, name, error)
            return
        for sha256, size_bytes in pages.items():
            if flaw := self._flaw(sha256, size_bytes):
                yield _as_damage(run_id, name, flaw)

    def _flaw(self, sha256: str, size_bytes: int) -> PageLost | None:
        if sha256 not in self._flaws:
            self.bodies += 1
            self._flaws[sha256] = self._look(sha256, size_bytes)
        return self._flaws[sha256]

    def _look(self, sha256: str, size_bytes: int) -> PageLost | None:
        if self.most_bytes < size_bytes:
            return None if self.storage.exists(page_key(sha256)) else PageLost(page_key(sha256), "it is missing")
        self.most_bytes -= size_bytes
        self.hashed += 1
        try:
            PageStore(self.storage).get(sha256)
        except PageLost as error:
            return error
        return None


def _of_base(bases: Bases, until: str) -> Iterator[Damage]:
    try:
        if (base := bases.newest()) is not None:
            bases.paths(base)
    except BaseLost as error:
        yield _as_damage(until, "base", error)


def _as_damage(run_id: str, resource: str, error: BaseLost | ManifestUnreadable | PageLost) -> Damage:
    return Damage(run_id, resource, error.where, error.what, isinstance(error.__cause__, PermissionError))
