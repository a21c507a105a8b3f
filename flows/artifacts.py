"""The output of a run in Prefect: artifacts that people read, events that automations wait for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.events import emit_event
from prefect.runtime import flow_run

from propsync.errors import PropsyncError
from propsync.push.review.changes import COLUMNS, MOST_CHANGES, change_rows
from propsync.runbooks import Report, in_markdown, news
from propsync.runbooks.push.plans import names_of
from propsync.runbooks.push.report import PushReport
from propsync.settings import Settings

_log = logging.getLogger("propsync.prefect")
_LONGEST_LINE = 1_000  # characters
_COLUMNS = {
    "verdict": "verdict",
    "fetched": "rows in",
    "inserted": "new",
    "updated": "changed",
    "deleted": "gone",
    "unchanged": "same",
    "held": "held",
    "rejected": "rejected",
    "requests": "requests",
    "retries": "retries",
    "bytes": "bytes",
}


class Artifacts:
    """Publishes the results of one run of `flow`. No failure here makes a run fail that published."""

    def __init__(self, flow: str) -> None:
        self._flow = flow

    def report(self, settings: Settings, report: Any, seconds: Mapping[str, float]) -> None:
        """Artifacts and events of a run that came to its end."""
        if isinstance(report, Report):
            if report.resources:
                self._try(lambda: self._resources(report, seconds))
            if report.published:
                self._try(lambda: self._news(settings, report))
            self._try(lambda: self._of_resources(report))
        elif isinstance(report, PushReport):
            self._try(lambda: self._plan(settings, report))
            self._try(lambda: self._writes(report))
        else:
            self._try(lambda: self._documents(report))
        if report.left_behind:
            self._try(lambda: self._attention(report.left_behind))
        self._try(lambda: self._finished(report.status, report.exit_code, report.to_json()))

    def error(self, error: PropsyncError) -> None:
        """The event of a run that ended in an error."""
        fields = {"run_id": None, "left_behind": [str(error)]}
        self._try(lambda: self._attention([str(error)]))
        self._try(lambda: self._finished("failed", error.exit_code, fields))

    def _try(self, leave: Callable[[], object]) -> None:
        try:
            leave()
        except Exception as error:  # noqa: BLE001 - whatever Prefect's server says, the tables are published
            words = "could not report the run to Prefect: %s: %s. The run itself did its work"
            _log.warning(words, type(error).__name__, error)
            _log.debug("the same in full", exc_info=True)

    def _resources(self, report: Report, seconds: Mapping[str, float]) -> None:
        rows = [
            {"resource": name.replace("_", " ")}
            | {title: counts[column] for column, title in _COLUMNS.items()}
            | {"seconds": round(seconds[name], 1) if name in seconds else "with its records"}
            for name, counts in report.resources.items()
        ]
        summary = f"Run {report.run_id}: {report.status}, {report.seconds:.1f} s"
        create_table_artifact(rows, key=f"propsync-{self._flow}-resources", description=summary)

    def _news(self, settings: Settings, report: Report) -> None:
        title = "What changed last night" if self._flow == "nightly" else "What changed"
        markdown = f"# {title}\n\n{news(settings, report)}"
        create_markdown_artifact(markdown, key=f"propsync-{self._flow}-changes", description=title)

    def _documents(self, report: Any) -> None:
        row = {name: value for name, value in report.to_json().items() if isinstance(value, int | str)}
        create_table_artifact([row], key=f"propsync-{self._flow}-documents", description=report.ended)

    def _plan(self, settings: Settings, report: PushReport) -> None:
        """The only place in Prefect with values: who reviews a run sees what it was to write."""
        names = names_of(settings, report.plan)
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in change_rows(report.plan, names)]
        shown = f", the first {MOST_CHANGES}" if len(rows) > MOST_CHANGES else ""
        title = f"Plan {report.plan.plan_id}: {len(rows):,} changes{shown}"
        create_table_artifact(rows[:MOST_CHANGES], key=f"propsync-{self._flow}-plan", description=title)

    def _writes(self, report: PushReport) -> None:
        row = {"records": len(report.plan.entries), **report.counts(), "run": report.run_id}
        create_table_artifact([row], key=f"propsync-{self._flow}-records", description=f"Push: {report.status}")

    def _attention(self, lines: list[str]) -> None:
        markdown = "# Left behind\n\n" + "\n".join(f"- {in_markdown(line, _LONGEST_LINE)}" for line in lines)
        create_markdown_artifact(markdown, key=f"propsync-{self._flow}-attention", description="What was left behind")

    def _of_resources(self, report: Report) -> None:
        for name, counts in report.resources.items():
            fields = {"run_id": report.run_id, "resource": name, "held": counts["held"], "verdict": counts["verdict"]}
            if counts["held"]:
                self._emit("propsync.deletes.held", report.run_id, report.status, fields)
            if counts["verdict"] == "failed":
                self._emit("propsync.resource.failed", report.run_id, report.status, fields)
        documents = report.documents or {}
        if documents.get("failed"):
            self._emit("propsync.documents.failed", report.run_id, report.status, dict(documents))

    def _finished(self, status: str, exit_code: int, fields: Mapping[str, Any]) -> None:
        payload = dict(fields) | {"flow": self._flow, "status": status, "exit_code": exit_code}
        self._emit("propsync.run.finished", fields.get("run_id"), status, payload)

    def _emit(self, event: str, run_id: str | None, status: str, payload: dict[str, Any]) -> None:
        labels = {"prefect.resource.id": f"propsync.run.{run_id or flow_run.id}"}
        labels |= {"prefect.resource.name": f"propsync {self._flow}"}
        emit_event(event, labels | {"propsync.flow": self._flow, "propsync.status": status}, payload=payload)
