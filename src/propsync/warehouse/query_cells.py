"""The cells of a file for the columns of an answer: which kind each is, and the SQL that makes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from propsync.warehouse.declared_tables import quoted, text
from propsync.warehouse.statements import statement

_KINDS = {
    r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BIGNUM|DECIMAL\(.*\)": "digits",
    r"FLOAT|DOUBLE": "float",
    r"BOOLEAN": "truth",
    r"DATE": "date",
    r"TIME": "time",
    r"TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?": "moment",
    r"(VARCHAR|BOOLEAN|DATE|TIME|DOUBLE|U?(TINY|SMALL|BIG)?INT(EGER)?)\[\d*\]": "list",
}
_WIDE = re.compile(r"\bU?HUGEINT\b")
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")


def kinds_of(types: Iterable[object]) -> list[str]:
    """The kind of each column, from DuckDB's types; what no spreadsheet knows is text."""
    return [_kind(str(one)) for one in types]


def _kind(of: str) -> str:
    return next((kind for pattern, kind in _KINDS.items() if re.fullmatch(pattern, of)), "text")


def cells(kinds: Sequence[str]) -> str:
    """SQL for the cells of a sheet."""
    pairs = (f"number_of_{kind}(c{at}), text_of_{kind}(c{at})" for at, kind in enumerate(kinds))
    return statement("query/cells", cells=", ".join(pairs), names=_names(kinds))


def excel_csv(columns: Sequence[str], kinds: Sequence[str]) -> str:
    """SQL for the columns of a CSV that Excel opens; names are safe too."""
    made = (f"csv_of_{kind}(c{at}) as {quoted(safe_in_sheet(columns[at]))}" for at, kind in enumerate(kinds))
    return statement("query/excel_csv", cells=", ".join(made), names=_names(kinds))


def parquet(columns: Sequence[str], types: Sequence[object]) -> str | None:
    """SQL for a Parquet file that refuses whole numbers it would round; None if no column has such numbers."""
    if not any(_WIDE.search(str(one)) for one in types):
        return None
    made = (f"{_unrounded(f'c{at}', str(types[at]), name)} as {quoted(name)}" for at, name in enumerate(columns))
    return statement("query/parquet", cells=", ".join(made), names=_names(columns))


def exact_json(columns: Sequence[str], types: Sequence[object], mark: str) -> str | None:
    """SQL for JSON whose numbers are texts that begin with `mark`; None if no column is JSON."""
    if "JSON" not in map(str, types):
        return None
    made = (
        f"{f'marked_numbers(c{at}, {text(mark)})' if str(types[at]) == 'JSON' else f'c{at}'} as {quoted(name)}"
        for at, name in enumerate(columns)
    )
    return statement("query/exact_json", cells=", ".join(made), names=_names(columns))


def _unrounded(cell: str, kind: str, name: str) -> str:
    double = _WIDE.sub("DOUBLE", kind)
    if double == kind:
        return cell
    return f"unrounded({cell}, {cell}::{double}, try_cast({cell}::{double} as {kind}), {text(name)})"


def _names(kinds: Sequence[object]) -> str:
    return ", ".join(f"c{at}" for at in range(len(kinds)))


def safe_in_sheet(name: str) -> str:
    """A text that a spreadsheet does not run as a formula, as `safe_text` in sql/macros/sheet/ does it."""
    return f"'{name}" if _FORMULA.match(name) else name
