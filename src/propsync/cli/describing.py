"""The queries of `propsync query --tables` and `--describe`."""

from __future__ import annotations

import difflib

from propsync.errors import UsageError
from propsync.warehouse import PublishedReader, statement, text

_FIRST = ("main", "by_type")  # the schemas to search first for a name without one


def columns_of(reader: PublishedReader, asked: str) -> str:
    """SQL for a table's columns. `asked` is its name in any case, or an asset type's. Raises UsageError."""
    tables = [(schema, table) for schema, table in reader.rows(statement("cli/table_names"))[1]]
    schema, table = _found(asked, tables, reader)
    return statement("cli/columns", schema=text(schema), table=text(table))


def _found(asked: str, tables: list[tuple[str, str]], reader: PublishedReader) -> tuple[str, str]:
    wanted = asked.replace('"', "").strip().casefold()
    fitting = [one for one in tables if wanted in (one[1].casefold(), ".".join(one).casefold())]
    if not fitting:
        named = {name.casefold(): table for name, table in reader.rows(statement("cli/type_names"))[1]}
        fitting = [("by_type", named[wanted])] if wanted in named else []
    for schema in _FIRST:
        fitting = [one for one in fitting if one[0] == schema] or fitting
    if len(fitting) != 1:
        raise UsageError("--describe", *_not_one(asked, wanted, fitting, tables))
    return fitting[0]


def _is_first(table: tuple[str, str]) -> bool:
    return table[0] in _FIRST


def _not_one(asked: str, wanted: str, fitting: list[tuple[str, str]], tables: list[tuple[str, str]]) -> tuple[str, str]:
    if fitting:
        return f"there are several tables {asked}", f"Give one of: {', '.join(sorted(map('.'.join, fitting))[:5])}"
    full = {".".join(one) if "." in wanted else one[1]: ".".join(one) for one in sorted(tables, key=_is_first)}
    near = [full[name] for name in difflib.get_close_matches(wanted, full, n=5, cutoff=0.6)]
    suggested = f". Did you mean {', '.join(near)}" if near else ""
    return f"there is no table {asked}{suggested}{'?' if near else ''}", "Run `propsync query --tables`"
