"""`documents` and the tables around it: wanted documents, and the results of requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from operator import attrgetter
from typing import Any

from propsync.documents.fetch_log import Fetched
from propsync.documents.lost_files import LOST
from propsync.merge import differ, mark_tables, take_differing
from propsync.warehouse import Models, Warehouse, statement

_MOST_DAYS = 36_500  # a century; DuckDB cannot write much later times
ERASED = "erased"
"""The outcome of a request whose document has an erased text: propsync does not keep it."""
_TIMES = ("asked_at", "of_changed_at")


@dataclass(frozen=True)
class WantedDocument:
    """A document to request, with its latest stored version: hash, path, and the version with the same text."""

    assessment_id: str
    kind: str
    changed_at: datetime
    sha256: str | None = None
    path: str | None = None
    same_text_as: str | None = None


@dataclass(frozen=True)
class DocumentChoice:
    """Which documents are wanted: kinds, statuses of assessments, and properties (none for all)."""

    kinds: Sequence[str]
    statuses: Sequence[str]
    properties: Sequence[str] = ()

    def values(self) -> dict[str, Any]:
        """For models to bind."""
        return {name: list(value) for name, value in self.__dict__.items()}


class Ledger:
    """Reads and writes `main.documents` and `marts.document_coverage` in the state database."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse

    def newest(self) -> datetime | None:
        """The newest version of an assessment with any request."""
        found: datetime | None = self._warehouse.value(statement("documents/newest"))
        return found

    def files(self) -> Iterator[str]:
        """The paths of all stored files in order, without those known to be lost."""
        for batch in self._warehouse.batches(statement("documents/stored_files"), {"lost": LOST}):
            yield from (path for (path,) in batch)

    def wanted(
        self, choice: DocumentChoice, *, now: datetime, began: datetime, since: datetime | None, most: int
    ) -> tuple[list[WantedDocument], int]:
        """The first `most` documents to request, in their order, and the number of all.

        Documents requested after `began` are left out; those changed at `since` or later go first.
        """
        values = choice.values() | {"now": now, "began": began, "since": since}
        models = Models(self._warehouse, values).with_fragments(assessments=self._assessments())
        count = models.stage("staging/wanted_documents")
        columns = ", ".join(field.name for field in fields(WantedDocument))
        rows = self._warehouse.rows(statement("documents/wanted", columns=columns), {"most": most})
        return [WantedDocument(*row) for row in rows], count

    def came_last(self, choice: DocumentChoice, *, began: datetime, most: int) -> list[WantedDocument]:
        """Documents of any property that the API had at the last request before `began`; the latest requests first."""
        sql = statement("documents/came_last", assessments=self._assessments())
        values = {"kinds": list(choice.kinds), "statuses": list(choice.statuses), "began": began, "most": most}
        return [WantedDocument(*row) for row in self._warehouse.rows(sql, values)]

    def unknown_statuses(self, choice: DocumentChoice) -> list[str]:
        """The statuses of `choice` that no assessment has, without regard to capitals."""
        sql = statement("documents/unknown_statuses", assessments=self._assessments())
        return [status for (status,) in self._warehouse.rows(sql, {"statuses": list(choice.statuses)})]

    def _assessments(self) -> str:
        """A relation of all assessments, those of hidden parts too."""
        hidden = self._warehouse.unshown("assessments")
        names = "assessment_id, property_id, assessment_type_id, changed_at, status"
        everything = (
            f"(select {names} from main.assessments union all by name select {names} from {hidden} where not is_gone)"
        )
        return everything if hidden else "main.assessments"

    def record(self, taken: Sequence[Fetched], run_id: str, recheck_days: int) -> Mapping[str, int]:
        """Puts results into the table; returns the number of each: stored (new bytes), same, missing, failed."""
        self._stage(taken)
        models = Models(self._warehouse, {"recheck_days": min(recheck_days, _MOST_DAYS)})
        before = self._versions()
        models.stage("staging/documents_after")
        with self._warehouse.transaction():
            models.close("main/documents.close")
            models.open("main/documents.open")
            self._warehouse.execute(statement("documents/forget_lost"), {"lost": LOST})
            mark_tables(self._warehouse, run_id, "main", ["documents"])
        ended = Counter(one.outcome for one in taken)
        new = self._versions() - before
        return {"stored": new, "same": ended["stored"] - new, "missing": ended["missing"], "failed": ended["failed"]}

    def times_to_come(self, latest: datetime) -> int:
        """The number of versions that propsync asked for or verified after `latest`."""
        return int(self._warehouse.value(statement("documents/count_times_to_come"), {"latest": latest}))

    def forget_times_to_come(self, latest: datetime, now: datetime, run_id: str) -> None:
        """Makes these versions due."""
        with self._warehouse.transaction():
            self._warehouse.execute(statement("documents/forget_times_to_come"), {"latest": latest, "now": now})
            mark_tables(self._warehouse, run_id, "main", ["documents"])

    def cover(self, choice: DocumentChoice, run_id: str) -> int:
        """Brings `marts.document_coverage` up to date; returns how many documents are lacking."""
        values = choice.values() | {"lost": LOST}
        lacking = Models(self._warehouse, values).stage("marts/document_coverage")
        names = ("staging.document_coverage", "marts.document_coverage")
        if differ(self._warehouse, *names) or not self._is_covered():
            with self._warehouse.transaction():
                take_differing(self._warehouse, *names)
                mark_tables(self._warehouse, run_id, "marts", ["document_coverage"])
        return lacking

    def _is_covered(self) -> bool:
        """Whether `ops.tables` has the mart: one without rows differs in nothing from a new table."""
        return ("marts", "document_coverage") in self._warehouse.rows(statement("runs/marked_tables"))

    def _versions(self) -> int:
        return int(self._warehouse.value(statement("documents/count_versions")))

    def _stage(self, taken: Sequence[Fetched]) -> None:
        names = Fetched.__struct_fields__
        columns = ", ".join(f"{name} {_type(name)}" for name in names)
        self._warehouse.execute(statement("documents/make_taken", columns=columns))
        self._warehouse.add("staging.taken_documents", map(attrgetter(*names), taken))


def _type(name: str) -> str:
    return "timestamptz" if name in _TIMES else "bigint" if name == "size_bytes" else "varchar"
