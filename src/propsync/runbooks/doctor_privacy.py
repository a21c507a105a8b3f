"""The doctor's look at labels that may be about people, and that `[privacy] hide` does not name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from propsync.runbooks.finding import Finding
from propsync.settings import Settings
from propsync.warehouse import open_published, statement

_PERSONAL = re.compile(
    r"\b(residents?|tenants?|tenancy|occupants?|occupiers?|names?|surname|(tele)?phones?|mobile|e-?mail|"
    r"date of birth|birthday|dob|vulnerab\w*|health|disab\w*|medical)\b",
    re.IGNORECASE,
)
_MOST = 8


def personal(labels: Iterable[str]) -> list[str]:
    """The labels that look as if people were behind their values."""
    return sorted({label for label in labels if _PERSONAL.search(label)})


def examine_labels(settings: Settings) -> Iterator[Finding]:
    """A finding about the published fields whose label looks personal. A label says nothing for certain."""
    path = settings.published / "warehouse.duckdb"
    if not path.exists():
        return
    with open_published(path) as reader:
        rows = reader.rows(statement("runbooks/labels_with_values"))[1]
    found = personal(label for (label,) in rows if label)
    if not found:
        yield Finding("privacy", True, "no published field has a label that looks personal")
        return
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    seen = f"published fields whose label looks personal: {', '.join(found[:_MOST])}{more}"
    yield Finding("privacy", True, f"{seen}. To hide one: [privacy] hide in propsync.toml (docs/privacy.md)")
