"""The queries of `propsync query --describe`."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping

from propsync.errors import UsageError
from propsync.warehouse import PublishedReader, meanings_of, quoted, statement, tables_read, text

_FIRST = ("main", "by_type")  # the schemas to search first for a name without one
_MOST = 5
_Name = tuple[str, str]


def columns_of(reader: PublishedReader, asked: str) -> str:
    """SQL for the columns of a table or macro. `asked` is its name in any case, or an asset type's.

    Raises UsageError.
    """
    wanted = asked.replace('"', "").strip().casefold()
    tables = [(schema, table) for schema, table in reader.rows(statement("cli/table_names"))[1]]
    macros = {name: (parameters, sql) for name, parameters, sql in reader.rows(statement("cli/macro_names"))[1]}
    fitting = _fitting(wanted, tables, reader)
    macro = wanted.partition("(")[0].removeprefix("main.").strip()
    if not fitting and macro in macros:
        return _columns_of_macro(macro, *macros[macro])
    if len(fitting) != 1:
        called = (f"{name}({', '.join(parameters)})" for name, (parameters, _) in macros.items())
        raise UsageError("--describe", *_not_one(asked, wanted, fitting, _choices(wanted, tables, called)))
    schema, table = fitting[0]
    return statement("cli/columns", schema=text(schema), table=text(table))


def _columns_of_macro(name: str, parameters: list[str], definition: str) -> str:
    """Every parameter of a macro is a moment."""
    read = ", ".join(map(text, tables_read(definition))) or "null"
    arguments = ", ".join("now()" for _ in parameters)
    meanings = text(json.dumps(meanings_of(name)))
    return statement("cli/macro_columns", macro=quoted(name), arguments=arguments, tables=read, meanings=meanings)


def _fitting(wanted: str, tables: list[_Name], reader: PublishedReader) -> list[_Name]:
    """The tables of that name, and those of the first schema that has one."""
    fitting = [one for one in tables if wanted in (one[1].casefold(), ".".join(one).casefold())]
    if not fitting:
        named = {name.casefold(): table for name, table in reader.rows(statement("cli/type_names"))[1]}
        fitting = [("by_type", named[wanted])] if wanted in named else []
    for schema in _FIRST:
        fitting = [one for one in fitting if one[0] == schema] or fitting
    return fitting


def _choices(wanted: str, tables: list[_Name], macros: Iterable[str]) -> dict[str, str]:
    """The full name of each table and macro, by the part of it that people compare with."""
    named = {".".join(one) if "." in wanted else one[1]: ".".join(one) for one in sorted(tables, key=_is_first)}
    return named | {called.partition("(")[0]: called for called in macros}


def _is_first(table: _Name) -> bool:
    return table[0] in _FIRST


def _not_one(asked: str, wanted: str, fitting: list[_Name], choices: Mapping[str, str]) -> tuple[str, str]:
    if fitting:
        return f"there are several tables {asked}", f"Give one of: {', '.join(sorted(map('.'.join, fitting))[:_MOST])}"
    within = sorted((name for name in choices if wanted and wanted in name.casefold()), key=len)  # "lifts" alone
    alike = difflib.get_close_matches(wanted, choices, n=_MOST, cutoff=0.6)
    near = [choices[name] for name in dict.fromkeys([*within, *alike])][:_MOST]
    suggested = f". Did you mean {', '.join(near)}" if near else ""
    return f"there is no table {asked}{suggested}{'?' if near else ''}", "Run `propsync query --tables`"
