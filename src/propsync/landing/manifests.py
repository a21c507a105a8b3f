"""The manifest: what a snapshot consists of, and what was concluded from it. It is written last, so a snapshot exists
whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from propsync.errors import ManifestUnreadable
from propsync.landing.seals import sealed, unsealed
from propsync.resources import RESOURCES
from propsync.storage import LocalStorage

MANIFEST_VERSION = 2
"""From 2 on a manifest is sealed."""

_FILE = "manifest.json"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Landed:
    """One answer that feeds a table.

    `role` is "page", "again" (page 1 read once more), "combined" (a total only), "look-up" (a list asked for known
    keys) or "one" (a body that is one record). `status` and `performed` are what being on the list tells of a record;
    `asked_at` is epoch seconds; `types_hash` tells pages with the same types beside their records.
    """

    sequence: int
    request: str
    list_name: str
    role: str
    attempt: int
    asked_at: float
    sha256: str
    size_bytes: int
    total: int | None = None
    status: str | None = None
    performed: str | None = None
    types_hash: str | None = None


@dataclass(frozen=True)
class Certificate:
    """What one attempt at one list showed (a row of `ops.sweeps`)."""

    list_name: str
    rung: int
    attempt: int
    pages: int
    total_first: int | None
    total_last: int | None
    distinct_keys: int
    duplicates: int
    rejected: int
    verdict: str

    @property
    def is_exceeded(self) -> bool:
        """Whether more records came than the total says."""
        return self.total_first is not None and self.distinct_keys > self.total_first


@dataclass(frozen=True)
class LookedUp:
    """What was concluded of one missing key (correctness.md §2).

    `outcome` is "gone" (its row gets a tombstone), "hidden" (it lives in a status that nobody knows) or "held" (its
    row stays); `reason` says which answer told so, or why it is held.
    """

    key: tuple[str, ...]
    outcome: str
    reason: str = ""


@dataclass
class Manifest:
    """One resource's snapshot of one run, and all that was concluded from it: a merge needs nothing else.

    `run_time` is ISO 8601 UTC with microseconds, `flow` the kind of run, `shape` what was known when it was merged.
    `filters` narrow what a backfill asked for. `accepted` names the run whose held deletes were accepted,
    `repeats` the one whose answers were the same, byte for byte. `types_shape` is that of the types beside the records,
    if the list of types failed.
    """

    run_id: str
    run_time: str
    resource: str
    verdict: str
    hash_version: int
    shape: dict[str, Any]
    settings: dict[str, Any]
    flow: str = "nightly"
    filters: list[tuple[str, list[str]]] = field(default_factory=list)
    landed: list[Landed] = field(default_factory=list)
    certificates: list[Certificate] = field(default_factory=list)
    looked_up: list[LookedUp] = field(default_factory=list)
    accepted: str | None = None
    repeats: str | None = None
    types_shape: dict[str, Any] = field(default_factory=dict)
    traffic: dict[str, int] = field(default_factory=dict)
    version: int = MANIFEST_VERSION

    def keys(self, outcome: str) -> list[tuple[str, ...]]:
        """The missing keys of which this was concluded."""
        return [one.key for one in self.looked_up if one.outcome == outcome]


class Manifests:
    """`landing/<resource>/<run>/manifest.json`."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage

    def put(self, manifest: Manifest) -> None:
        """Makes the snapshot exist; every body that it names is stored before."""
        body = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        self._storage.put(manifest_key(manifest.resource, manifest.run_id), sealed(body))

    def get(self, resource: str, run_id: str) -> Manifest | None:
        """The snapshot of a resource in a run, None where none was landed. Raises ManifestUnreadable."""
        key = manifest_key(resource, run_id)
        if not self._storage.exists(key):
            return None
        manifest = self._read(key, Manifest)
        if (manifest.resource, manifest.run_id) != (resource, run_id):
            raise ManifestUnreadable(key, f"it belongs to {manifest.resource} of run {manifest.run_id}")
        return manifest

    def sound(self, resource: str, run_id: str) -> Manifest | None:
        """The same for those who can do without: None too where it is damaged."""
        try:
            return self.get(resource, run_id)
        except ManifestUnreadable:
            return None

    def runs(self, resource: str) -> list[str]:
        """Ids of the runs that landed a snapshot of the resource, oldest first."""
        found = self._storage.list(f"landing/{resource}")
        return sorted(key.split("/")[2] for key in found if key.endswith(f"/{_FILE}"))

    def all_runs(self) -> dict[str, list[str]]:
        """The resources that each run landed, by run id, oldest first."""
        landed = [(run_id, name) for name in RESOURCES for run_id in self.runs(name)]
        found: dict[str, list[str]] = {run_id: [] for run_id, _ in sorted(landed)}
        for run_id, name in landed:
            found[run_id].append(name)
        return found

    def named(self) -> set[str]:
        """Hashes of all the pages that any snapshot names. Raises ManifestUnreadable."""
        landed = ((name, run_id) for run_id, names in self.all_runs().items() for name in names)
        return {sha256 for name, run_id in landed for sha256 in self.pages_of(name, run_id)}

    def pages_of(self, resource: str, run_id: str) -> dict[str, int]:
        """The pages that a landed snapshot names, each hash with the bytes of the page. Raises ManifestUnreadable."""
        return {one.sha256: one.size_bytes for one in self._read(manifest_key(resource, run_id), _Named).landed}

    def delete(self, resource: str, run_id: str) -> None:
        """Forgets a snapshot; its pages stay until no snapshot names them."""
        self._storage.delete(manifest_key(resource, run_id))

    def _read(self, key: str, kind: type[_T]) -> _T:
        try:
            stored = self._storage.get(key)
            body = unsealed(stored)
            found = msgspec.json.decode(body, type=kind)
            version = msgspec.json.decode(body, type=_Version).version
        except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors, and so is a broken seal
            raise ManifestUnreadable(key, f"it cannot be read: {error}") from error
        if version > 1 and body == stored:
            raise ManifestUnreadable(key, "it has no seal")
        return found


class _Version(msgspec.Struct):
    version: int


class _Page(msgspec.Struct):
    sha256: str
    size_bytes: int


class _Named(msgspec.Struct):
    """Of a manifest only what it names: the rest is not even decoded."""

    landed: list[_Page]


def manifest_key(resource: str, run_id: str) -> str:
    """Where the manifest of a snapshot stands."""
    return f"landing/{resource}/{run_id}/{_FILE}"
