"""The runs' journal in `ops`: started, merged, ended; failed runs included."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from typing import Any

from propsync.landing import Manifest
from propsync.records import record_id
from propsync.runs.run import Run, Verdict, time_of
from propsync.warehouse import Warehouse, resource_fragments, statement


@dataclass(frozen=True)
class ResourceCounts:
    """Records of one resource in one run."""

    fetched: int = 0
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    unchanged: int = 0
    held: int = 0
    rejected: int = 0


class Journal:
    """Writes `ops.runs`, `ops.run_resources`, `ops.sweeps` and `ops.rejected_records`."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse
        self._rungs: dict[str, tuple[int, bool]] | None = None

    def last_time(self) -> datetime | None:
        """The time of the latest run so far."""
        found: datetime | None = self._warehouse.value(statement("runs/latest_time"))
        return found

    def forget_ahead(self, latest: datetime, kept: Collection[str]) -> list[str]:
        """Forgets runs after `latest` that ended badly and left nothing, but for those in `kept`; returns their ids."""
        rows = self._warehouse.rows(statement("runs/ahead"), {"latest": latest, "kept": [*kept]})
        run_ids = {run_id for (run_id,) in rows}
        for resource in self._warehouse.catalogue:
            opened = statement("runs/opened_versions", history=resource_fragments(resource)["history"])
            run_ids -= {run_id for (run_id,) in self._warehouse.rows(opened, {"run_ids": [*run_ids]})}
        with self._warehouse.transaction():
            for forget in ("runs/forget_resources", "runs/forget"):
                self._warehouse.execute(statement(forget), {"run_ids": [*run_ids]})
        return sorted(run_ids)

    def is_known(self, run_id: str) -> bool:
        """Whether the journal has that run."""
        return bool(self._warehouse.value(statement("runs/is_known"), {"run_id": run_id}))

    def unknown(self, run_ids: Iterable[str]) -> list[str]:
        """Those of these runs that the journal does not have."""
        known = {run_id for (run_id,) in self._warehouse.rows(statement("runs/run_ids"))}
        return [run_id for run_id in run_ids if run_id not in known]

    def merged_unknown(self) -> list[tuple[str, str]]:
        """The run and resource of each merged snapshot whose run the journal does not have."""
        rows = self._warehouse.rows(statement("runs/merged_unknown"))
        return [(run_id, resource) for run_id, resource in rows]

    def begin(self, run: Run) -> list[str]:
        """Notes that a run began, and marks runs without an end as killed. Returns their ids."""
        killed = self._warehouse.rows(statement("runs/running"))
        with self._warehouse.transaction():
            self._warehouse.execute(statement("runs/note_killed"))
            self._warehouse.add("ops.runs", [(run.run_id, run.flow, run.time, None, "running", None)])
        return [run_id for (run_id,) in killed]

    def end(self, run: Run, status: str, error: str | None) -> None:
        """Notes how a run ended."""
        ended = {"ended_at": datetime.now(UTC), "status": status, "error": error}
        self._warehouse.execute(statement("runs/end"), ended | {"run_id": run.run_id})

    def is_merged(self, run_id: str, resource: str) -> bool:
        """Whether a run has merged a snapshot (or its resource failed in that run)."""
        return bool(self._warehouse.value(statement("runs/is_merged"), {"run_id": run_id, "resource": resource}))

    def merged(
        self,
        manifest: Manifest,
        counts: ResourceCounts,
        rejected: Iterable[tuple[str, int, str, str]],
        judged: Sequence[tuple[str, str]] | None = None,
        unnamed: Collection[tuple[str, ...]] = (),
    ) -> None:
        """Notes one merge, inside its transaction.

        `judged` are the parts of held keys that the merge judged again, None for all of the resource. No row names
        the keys in `unnamed`.
        """
        traffic = [manifest.traffic.get(name, 0) for name in ("requests", "retries", "bytes")]
        row = [
            manifest.run_id,
            manifest.resource,
            manifest.verdict,
            len(manifest.certificates),
            *traffic,
            *astuple(counts),
            None,
        ]
        self._warehouse.add("ops.run_resources", [row])
        sweeps = [
            (
                manifest.run_id,
                manifest.resource,
                kept.list_name,
                kept.rung,
                kept.attempt,
                kept.pages,
                kept.total_first,
                kept.total_last,
                kept.distinct_keys,
                kept.duplicates,
                kept.verdict,
            )
            for kept in manifest.certificates
        ]
        self._warehouse.add("ops.sweeps", sweeps)
        refused = [(manifest.run_id, manifest.resource, *one) for one in rejected]
        self._warehouse.add("ops.rejected_records", refused)
        self._hold(manifest, judged, unnamed)

    def _hold(
        self, manifest: Manifest, judged: Sequence[tuple[str, str]] | None, unnamed: Collection[tuple[str, ...]]
    ) -> None:
        """Notes the held records, in place of those judged again."""
        of_resource = {"resource": manifest.resource}
        if judged is None:
            self._warehouse.execute(statement("runs/forget_all_held"), of_resource)
        elif judged:
            keys = dict(zip(("first_parts", "second_parts"), map(list, zip(*judged, strict=True)), strict=True))
            self._warehouse.execute(statement("runs/forget_held_that_were_judged"), of_resource | keys)
        rows = [
            (manifest.resource, record_id(one.key), one.reason, manifest.run_id, *(*one.key, "")[:2])
            for one in manifest.looked_up
            if one.outcome == "held" and one.key not in unnamed
        ]
        self._warehouse.add("ops.held_deletes", rows)

    def failed(self, run: Run, resource: str, error: str, traffic: tuple[int, int, int] = (0, 0, 0)) -> None:
        """Notes that a run could not read a resource, or could not build the tables of what it merged."""
        if self.is_merged(run.run_id, resource):
            failed = {"run_id": run.run_id, "resource": resource, "error": error}
            self._warehouse.execute(statement("runs/mark_failed"), failed)
            return
        row = [run.run_id, resource, Verdict.FAILED.value, 0, *traffic, *astuple(ResourceCounts()), error]
        self._warehouse.add("ops.run_resources", [row])

    def held(self, run_id: str) -> int:
        """Records that a run held instead of deleting them."""
        return int(self._warehouse.value(statement("runs/count_held"), {"run_id": run_id}))

    def deleted_in_parts(self, resource: str) -> int:
        """Records that hints and backfills have deleted since the last complete nightly read of the resource."""
        return int(self._warehouse.value(statement("runs/count_deleted_in_parts"), {"resource": resource}))

    def reasons_held(self, run_id: str) -> list[tuple[str, str, int]]:
        """The held records of a run, as resource, reason and number of records."""
        rows = self._warehouse.rows(statement("runs/reasons_held"), {"run_id": run_id})
        return [(resource, reason, count) for resource, reason, count in rows]

    def held_keys(self, run_id: str, resource: str) -> list[tuple[str, ...]]:
        """Keys that a run held and that are still held."""
        found = self._warehouse.rows(statement("runs/held_keys"), {"run_id": run_id, "resource": resource})
        return [_key(*parts) for parts in found]

    def why_held(self, resource: str) -> dict[tuple[str, ...], str]:
        """The held keys of a resource, each with the reason."""
        rows = self._warehouse.rows(statement("runs/why_held"), {"resource": resource})
        return {_key(*parts): reason for *parts, reason in rows}

    def verdicts(self, run_id: str) -> dict[str, Verdict]:
        """How each resource of a run ended, the runs own types among them."""
        rows = self._warehouse.rows(statement("runs/verdicts"), {"run_id": run_id})
        return {resource: Verdict(verdict) for resource, verdict in rows}

    def resources_read(self) -> dict[str, datetime]:
        """The resources that any run has read, each with the time of the last sync that did, or else of another run."""
        return {
            resource: time_of(run_id) for resource, run_id in self._warehouse.rows(statement("runs/resources_read"))
        }

    def errors(self, run_id: str) -> dict[str, str]:
        """Why resources of a run failed, a line each, by resource."""
        return dict(self._warehouse.rows(statement("runs/errors"), {"run_id": run_id}))

    def left_out(self, run_id: str) -> set[str]:
        """The resources of a run whose lists leave out many records that look-ups show."""
        return {resource for (resource,) in self._warehouse.rows(statement("runs/left_out"), {"run_id": run_id})}

    def counts(self, run_id: str) -> dict[str, dict[str, Any]]:
        """Each resource's row of `ops.run_resources`, by column."""
        cursor = self._warehouse.execute(statement("runs/counts"), {"run_id": run_id})
        names = [column[0] for column in cursor.description]
        return {row[0]: dict(zip(names[1:], row[1:], strict=True)) for row in cursor.fetchall()}

    def rung_that_worked(self, resource: str) -> tuple[int | None, bool]:
        """The rung of the resource's last complete read, None if there was none (`ops.sweeps.rung`).

        With it comes whether that read agreed on a total and showed more records.
        """
        if self._rungs is None:
            rows = self._warehouse.rows(statement("runs/rungs_that_worked"))
            self._rungs = {name: (rung, was_exceeded) for name, rung, was_exceeded in rows}
        return self._rungs.get(resource, (None, False))

    def runs_of(self, resource: str) -> int:
        """How many runs have merged a resource."""
        return int(self._warehouse.value(statement("runs/count_runs_of_resource"), {"resource": resource}))

    def latest_merged(self, resource: str) -> str:
        """The latest run that merged a resource, empty if there was none."""
        return self._warehouse.value(statement("runs/latest_merged"), {"resource": resource}) or ""


def _key(first: str, second: str) -> tuple[str, ...]:
    """The key of a record whose parts are in `key_1` and `key_2`; the second is empty without one."""
    return (first, second) if second else (first,)
