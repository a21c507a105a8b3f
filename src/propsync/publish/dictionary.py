"""The dictionary of tables and macros, which `make docs` writes to docs/tables.md."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from propsync.warehouse import TABLES, Table, View, macros_for_people, views

_OPENING = """\
<!-- `make docs` writes this page from sql/tables.toml, which also makes the tables: change that file, not this page -->

# The tables of warehouse.duckdb

Times are TIMESTAMPTZ and stored in UTC. `payload` is the record as received.

The schema `by_type` has a table for each type of asset, with `asset_id`, `property_id` and a column for each field.
`asset_types` has the names of these tables, and `asset_type_fields` has the names of the columns.

Each list that `[reference]` in propsync.toml names is a table too, such as `properties` or `users`.
`ops.reference_issues` has each mistake in them. The macros are [at the end](#macros).

`propsync query --describe TABLE` shows the columns of any table as it is.
"""
_OPEN = "Each other scalar that the API sends has a column too; `ops.columns` says which member each column comes from."
_CHANGES = """
A moment is a day, a time with a zone, or a time without one. A day means its end in PROPSYNC_TIME_ZONE. A time without
a zone is local time there. The macros for one table refuse a moment before the first run.

`changes_between` has one row for each field that differs, and one for a new or deleted record. `change` is insert,
update or delete. `field` is the id of an asset's field, and `label` is its label. Else, `field` is the member of the
API, such as `dueDate`; `marts.changes` has the column, such as `due_date`. `changed_at` is the time of the field's last
change before the later moment. The `record_id` of a schedule is its property and its assessment type with a slash
between. A `\\` inside an id becomes `\\\\`, and a `/` becomes `\\/`.

`changes_between` refuses NULL, and a first moment after the second.
"""
_MACRO = re.compile(r"^comment on macro table \"?(\w+)\"? is '(.+)';$", re.MULTILINE)


def dictionary() -> str:
    """The whole text, in Markdown."""
    sections = [_OPENING, *map(_section, TABLES.values()), *map(_section, views().values()), _macros()]
    return "\n".join(sections)


def _section(table: Table | View) -> str:
    name = table.name if table.schema == "main" else table.full_name
    about = [f"{table.comment}.", *(_rules(table) if isinstance(table, Table) else ["A view."])]
    rows = [(f"`{column}`", kind, meaning) for column, (kind, meaning) in table.columns.items()]
    return "\n".join([f"## {name}", "", " ".join(about), "", *_table(("column", "type", "meaning"), rows), ""])


def _rules(table: Table) -> Iterator[str]:
    if table.key:
        yield f"Key: {', '.join(f'`{column}`' for column in table.key)}."
    if table.is_open:
        yield _OPEN


def _macros() -> str:
    named = [found for sql in macros_for_people() for found in _MACRO.findall(sql)]
    rows = [(f"`{name}`", meaning.replace("''", "'")) for name, meaning in named]
    return "\n".join(["## Macros", "", *_table(("macro", "meaning"), rows), _CHANGES])


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for row in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


if __name__ == "__main__":
    sys.stdout.write(dictionary())
