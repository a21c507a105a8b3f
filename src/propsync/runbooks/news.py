"""The changes of a run, in words, with the SQL to look further."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from propsync.runbooks.report import Report
from propsync.runs import time_of
from propsync.settings import Settings
from propsync.warehouse import PublishedReader, open_published, statement, text

_WORDS = {"inserted": "new", "updated": "changed", "deleted": "gone", "held": "held", "rejected": "rejected"}
_MOST_NAMED = 5
_LONGEST_NAME = 80  # characters
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~])")
_FURTHER = """
```sql
-- each change, field by field
from changes_between(timestamptz '{before}', timestamptz '{moment}');
-- names, types and shapes that moved
from ops.schema_changes where run_id = '{run}';
-- what is held, what was rejected, what does not fit its kind
from ops.held_deletes;
from ops.rejected_records where run_id = '{run}';
from ops.value_issues;
```
"""


def news(settings: Settings, report: Report) -> str:
    """Markdown: a line for each resource, one for each sort of change to names and shapes, then the SQL.

    Reads the published copy. Raises UsageError if there is none.
    """
    with open_published(settings.published / "warehouse.duckdb") as reader:
        lines = [*_records(report.resources), *_names(reader, report.run_id), *_documents(report.documents)]
    moment = time_of(report.run_id)
    values = {"run": report.run_id, "moment": moment.isoformat(), "before": _just_before(moment)}
    return "\n".join([f"- {line}" for line in lines]) + "\n" + _FURTHER.format(**values)


def in_markdown(text: str, most: int) -> str:
    """Escapes other people's text for Markdown (headings, links, ends of blocks), and cuts it."""
    printable = "".join(one if one.isprintable() else " " for one in text[: most + 1])
    return _MARKUP.sub(r"\\\1", printable[:most]) + ("…" if len(text) > most else "")


def in_words(counts: Mapping[str, Any]) -> str:
    """The changes of a resource's records: `4 new, 12 changed, 3 gone`."""
    values = [f"{counts[name]:,} {word}" for name, word in _WORDS.items() if counts.get(name)]
    return ", ".join(values) or "nothing changed"


def _records(resources: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for name, counts in resources.items():
        is_whole = counts["verdict"] in ("certified", "agreed")
        yield f"**{name.replace('_', ' ')}**: {in_words(counts)}{'' if is_whole else ' (not read completely)'}"


def _names(reader: PublishedReader, run_id: str) -> Iterator[str]:
    query = statement("runbooks/schema_changes", run_id=text(run_id))
    for change, count, names in reader.rows(query)[1]:
        more = ", …" if count > _MOST_NAMED else ""
        shown = ", ".join(in_markdown(name, _LONGEST_NAME) for name in names[:_MOST_NAMED])
        yield f"{count:,} × {change}: {shown}{more}"


def _documents(came: Mapping[str, Any] | None) -> Iterator[str]:
    if came is not None:
        words = {"stored": "new", "missing": "missing in the API", "failed": "failed", "lacking": "still lacking"}
        counts = [f"{came[name]:,} {word}" for name, word in words.items() if came[name]]
        yield f"**documents**: {', '.join(counts) or 'nothing new'}"


def _just_before(moment: datetime) -> str:
    return (moment - timedelta(microseconds=1)).isoformat()
