"""The rows of tables as plain text, and the pattern by which DuckDB finds a text or an id in them.

A cast of a whole row would escape quotes, and JSON would write its numbers again. So each column is cast by itself.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.entities import codepoint2name

from propsync.warehouse import Warehouse, quoted, statement

_MOST = 150
"""Signs of a pattern: with many more, DuckDB's expressions become slow. The marks judge what it finds."""
_NAMES = {chr(code): name for code, name in codepoint2name.items()} | {"'": "apos"}
_BLANKS = (
    r"\s|\pZ|\x{b}|\x{85}|\+",
    r"\\+[bfnrtv]|\\+u(?:00[2a]0|000[9a-d]|20[0-5][0-9af]|3000)",
    r"&nbsp;|&#0*(?:9|10|13|32|160);|&#x0*(?:9|a|d|20|a0);",
    r"%20|%0[9ad]|%c2%a0",
)
_BLANK = f"(?:{'|'.join(_BLANKS)})+"


@dataclass(frozen=True)
class Relation:
    """A table of the state: its name, and as SQL has it the table and the text of a row, with a zero between cells."""

    name: str
    table: str
    row: str

    @property
    def fragments(self) -> dict[str, str]:
        """For a statement."""
        return {"table": self.table, "row": self.row}


def relations(warehouse: Warehouse) -> Iterator[Relation]:
    """Every table of the state."""
    for schema, table, columns in warehouse.rows(statement("erasing/tables")):
        yield Relation(f"{schema}.{table}", f"{quoted(schema)}.{quoted(table)}", _row(columns))


def _row(columns: Sequence[Mapping[str, str]]) -> str:
    return f"concat_ws(chr(0), {', '.join(_cell(**column) for column in columns)})"


def _cell(name: str, kind: str) -> str:
    """A list or a group of values is JSON: its own cast would escape quotes."""
    is_nested = kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION"))
    return f"to_json({quoted(name)})::varchar" if is_nested else f"{quoted(name)}::varchar"


def pattern_of(words: str) -> str:
    """A pattern for all spellings that an erasure knows; DuckDB ignores case."""
    plain = unicodedata.normalize("NFC", " ".join(words.split()))[:_MOST]
    return "".join(_BLANK if sign == " " else _any_of(sign) for sign in plain)


def _any_of(sign: str) -> str:
    """A sign and its escapes. A sign with a meaning in JSON or SQL may have backslashes before it, or stand twice."""
    own = rf"\x{{{ord(sign):x}}}"
    if sign == "\\":
        ways = [rf"{own}+"]
    elif sign.isascii() and not sign.isalnum():
        ways = [rf"\\*{own}(?:\\*{own})?"]
    else:
        ways = [own]
    for form in sorted({sign, sign.lower(), sign.upper()}):
        ways += _escapes(form)
    return f"(?:{'|'.join(ways)})"


def _escapes(form: str) -> list[str]:
    """A form of a sign as JSON, HTML and web addresses may write it."""
    wide = form.encode("utf-16-be", "surrogatepass")
    ways = [
        "".join(rf"\\+u{wide[at : at + 2].hex()}" for at in range(0, len(wide), 2)),
        "".join(f"&#0*{ord(one)};" for one in form),
        "".join(f"&#x0*{ord(one):x};" for one in form),
        "".join(f"%{byte:02x}" for byte in form.encode("utf-8", "surrogatepass")),
    ]
    name = _NAMES.get(form)
    return [*ways, f"&{name};"] if name else ways
