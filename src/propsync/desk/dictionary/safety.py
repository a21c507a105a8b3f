"""Which columns may show an example: none that could be about a person.

A text may hold anything that people write, so no text is an example. The options of a field are words of its
definition, not of a record. Dates and numbers may be personal too, and those whose name or label looks so stay out.
"""

from __future__ import annotations

import re

from propsync.warehouse import TABLES

_KINDS = re.compile(r"^(BOOLEAN|DATE|TIME|TIMESTAMP.*|DOUBLE|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*)$")
_WORDS = frozenset({"status", "state", "kind", "change", "verdict", "flow", "severity", "due_band", "date_source"})
"""Columns of texts that hold one of a few words."""
_PERSONAL = re.compile(
    r"resident|tenant|occup|person|phone|mobile|e-?mail|contact|birth|\bdob\b|\bage\b|gender|\bsex\b|ethnic|relig|"
    r"vulnerab|health|medical|disab|next.of.kin|insurance|bank|rent\b|arrear|income|benefit",
    re.IGNORECASE,
)


def may_show(schema: str, table: str, column: str, kind: str, meaning: str | None) -> bool:
    """Whether an example of the column's values is safe. Lists of people's own, and further lists, show none."""
    if schema != "by_type" and f"{schema}.{table}" not in TABLES:
        return False
    if _PERSONAL.search(f"{column.replace('_', ' ')} {meaning or ''}"):
        return False
    return bool(_KINDS.match(kind)) or (column in _WORDS and schema != "by_type")
