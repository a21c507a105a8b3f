"""The manifest: the parts of a snapshot, and propsync's conclusions from it. propsync writes it last, so a snapshot
exists whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from propsync.errors import ManifestUnreadable
from propsync.resources import BUILT_IN, RESERVED, Definition
from propsync.storage import LocalStorage, step_against, why_unread
from propsync.storage.seals import sealed, unsealed

MANIFEST_VERSION = 2
"""A manifest of version 2 or later is sealed."""

_FILE = "manifest.json"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Landed:
    """One answer that feeds a table.

    `role` is "page", "again" (page 1 read once more) or "combined" (a total only). It may also be "look-up" (a list
    filtered by known keys) or "one" (a single record). `status` and `performed` are facts that the list gives about a
    record; `asked_at` is epoch seconds. `types_hash` identifies pages with the same types beside their records.
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
    """The evidence of one attempt at one list (a row of `ops.sweeps`)."""

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
        """Whether more records came than the total."""
        return self.total_first is not None and self.distinct_keys > self.total_first


@dataclass(frozen=True)
class LookedUp:
    """The conclusion about one missing key (docs/completeness.md).

    `outcome` is "gone" (its row gets a tombstone), "hidden" (its status is one that nobody knows) or "held" (its row
    stays). `reason` names the answer that showed so, or why propsync holds it.
    """

    key: tuple[str, ...]
    outcome: str
    reason: str = ""


@dataclass
class Manifest:
    """One resource's snapshot of one run, with every conclusion from it: a merge needs nothing else.

    `run_time` is ISO 8601 UTC with microseconds, `flow` the kind of run, `shape` the known shape at the merge.
    `filters` narrow a backfill. `accepted` names the run whose held deletes somebody accepted, `repeats` the one whose
    answers were the same, byte for byte. `types_shape` is that of the types beside the records, if the list of types
    failed. `definition` is that of a further list, so that a rebuild needs no propsync.toml. `apis` are the addresses
    of the API that this home has read, in order; the run's own is last.
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
    definition: Definition | None = None
    apis: list[str] = field(default_factory=list)
    traffic: dict[str, int] = field(default_factory=dict)
    version: int = MANIFEST_VERSION

    def keys(self, outcome: str) -> list[tuple[str, ...]]:
        """The missing keys with this outcome."""
        return [one.key for one in self.looked_up if one.outcome == outcome]


class Manifests:
    """`landing/<resource>/<run>/manifest.json`."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage

    def put(self, manifest: Manifest) -> None:
        """Makes the snapshot exist; the caller has stored every body that it names."""
        body = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        self._storage.put(manifest_key(manifest.resource, manifest.run_id), sealed(body))

    def get(self, resource: str, run_id: str) -> Manifest | None:
        """The snapshot of a resource in a run, None if the run landed none. Raises ManifestUnreadable."""
        key = manifest_key(resource, run_id)
        if not self._storage.exists(key):
            return None
        manifest = self._read(key, Manifest)
        if (manifest.resource, manifest.run_id) != (resource, run_id):
            raise ManifestUnreadable(key, f"it belongs to {manifest.resource} of run {manifest.run_id}")
        return manifest

    def sound(self, resource: str, run_id: str) -> Manifest | None:
        """The same for callers that can do without: None too if it is damaged."""
        try:
            return self.get(resource, run_id)
        except ManifestUnreadable:
            return None

    def runs(self, resource: str) -> list[str]:
        """Ids of the runs that landed a snapshot of the resource, oldest first."""
        found = self._storage.list(f"landing/{resource}")
        return sorted(key.split("/")[2] for key in found if key.endswith(f"/{_FILE}"))

    def resources(self) -> list[str]:
        """Names of the resources that landed anything, also lists that propsync.toml no longer names."""
        return [name for name in self._storage.folders("landing") if name not in RESERVED]

    def definitions(self) -> dict[str, Definition]:
        """The latest readable definition of each further list that landed anything."""
        found = {}
        for name in (one for one in self.resources() if one not in BUILT_IN):
            manifests = (self.sound(name, run_id) for run_id in reversed(self.runs(name)))
            latest = next((one for one in manifests if one is not None), None)
            if latest is not None and latest.definition is not None:
                found[name] = latest.definition
        return found

    def all_runs(self) -> dict[str, list[str]]:
        """The resources that each run landed, by run id, oldest first."""
        landed = [(run_id, name) for name in self.resources() for run_id in self.runs(name)]
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

    def apis_of(self, resource: str, run_id: str) -> list[str]:
        """The addresses of the API that a snapshot names; none if it is damaged, or of an earlier version."""
        try:
            return self._read(manifest_key(resource, run_id), _OfApis).apis
        except ManifestUnreadable:
            return []

    def delete(self, resource: str, run_id: str) -> None:
        """Deletes a snapshot; its pages stay until no snapshot names them."""
        self._storage.delete(manifest_key(resource, run_id))

    def _read(self, key: str, kind: type[_T]) -> _T:
        try:
            stored = self._storage.get(key)
            body = unsealed(stored)
            found = msgspec.json.decode(body, type=kind)
            version = msgspec.json.decode(body, type=_Version).version
        except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors, and SealBroken is too
            raise ManifestUnreadable(key, why_unread(error), step_against(error)) from error
        if version > 1 and body == stored:
            raise ManifestUnreadable(key, "it has no seal")
        return found


class _Version(msgspec.Struct):
    version: int


class _Page(msgspec.Struct):
    sha256: str
    size_bytes: int


class _Named(msgspec.Struct):
    """The part of a manifest that names pages: msgspec does not decode the rest."""

    landed: list[_Page]


class _OfApis(msgspec.Struct):
    """The part of a manifest that names the service."""

    apis: list[str] = []


def manifest_key(resource: str, run_id: str) -> str:
    """The key of a snapshot's manifest."""
    return f"landing/{resource}/{run_id}/{_FILE}"
