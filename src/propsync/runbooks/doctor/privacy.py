"""The doctor's look at `[privacy] hide`, and at names that may be about people and that it does not hide."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from propsync.errors import HomeUnusable, SettingsError, UsageError
from propsync.merge import HIDDEN_FILES, Unmatched, check_lines, stored_shape
from propsync.runbooks.doctor.finding import Finding
from propsync.runbooks.workplace import refuse_lost_lines
from propsync.runbooks.workspace import configured_catalogue
from propsync.settings import Settings
from propsync.shapes import Shape
from propsync.storage import files_named
from propsync.warehouse import open_published, statement

_PERSONAL = re.compile(
    r"\b(residents?|tenants?|tenancy|occupants?|occupiers?|names?|surname|(tele)?phones?|mobile|e[- ]?mail|"
    r"date of birth|birthday|dob|vulnerab\w*|health|disab\w*|medical)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"_|(?<=[a-z0-9])(?=[A-Z])")
"""Between two words of a member such as `tenantName` or `tenant_name`."""
_MOST = 8


def personal(labels: Iterable[str]) -> list[str]:
    """The labels that look as if people were behind their values."""
    return sorted({label for label in labels if _PERSONAL.search(_WORD.sub(" ", label))})


def examine_labels(settings: Settings) -> Iterator[Finding]:
    """A finding about published fields and members whose name looks personal. A name says nothing for certain."""
    path = settings.published / "warehouse.duckdb"
    if not path.exists():
        return
    with open_published(path) as reader:
        rows = reader.rows(statement("runbooks/labels_with_values"))[1]
    found = personal(label for (label,) in rows if label)
    if not found:
        yield Finding("privacy", True, "no published field or member has a name that looks personal")
        return
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    seen = f"published fields and members whose name looks personal: {', '.join(found[:_MOST])}{more}"
    yield Finding("privacy", True, f"{seen}. To hide one: [privacy] hide in propsync.toml (docs/privacy.md)")


def examine_lines(settings: Settings) -> Iterator[Finding]:
    """Findings about lines of `[privacy] hide` that the next run would refuse, or that hide nothing."""
    lines = settings.privacy.hide
    path = settings.published / "warehouse.duckdb"
    try:
        refuse_lost_lines(settings)
        check_lines(lines, configured_catalogue(settings), _shapes(path))
        hidden = files_named(settings.state, HIDDEN_FILES)
    except (SettingsError, HomeUnusable) as refused:
        yield Finding("privacy", False, f"{refused.where}: {refused.what}", refused.next_step)
        return
    if not lines or not path.exists():
        return
    try:
        met = _met(hidden)
    except UsageError:
        return  # a run is at work, and has the file of hidden records open
    with open_published(path) as reader:
        found = Unmatched(lambda query: reader.rows(query)[1]).of(line for line in lines if line.text not in met)
    for line in found:
        yield Finding("privacy", False, line, "Correct the line, or keep it if the API will show such a part later")


def _shapes(path: Path) -> Callable[[str], Shape]:
    """Gives the shape of a resource, as far as the published tables have it."""
    rows: list[tuple[Any, ...]] = []
    if path.exists():
        with open_published(path) as reader:
            rows = reader.rows(statement("merge/shapes"))[1]
    return lambda resource: stored_shape(resource, [(part, *choice) for of, part, *choice in rows if of == resource])


def _met(hidden: Iterable[Path]) -> set[str]:
    """The lines that matched anything in an earlier run."""
    met: set[str] = set()
    for path in hidden:
        with open_published(path) as reader:
            met |= {line for (line,) in reader.rows(statement("runbooks/lines_met"))[1]}
    return met
