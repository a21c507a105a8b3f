"""The statements under `sql/statements/`: a module's queries and changes beside the models."""

from __future__ import annotations

from functools import cache

from propsync.shipped import shipped
from propsync.warehouse.templates import filled, without_comments


def statement(name: str, /, **fragments: str) -> str:
    """The statement in `sql/statements/<name>.sql`; the caller binds values for each `$name` in it.

    A fragment replaces `{{name}}`: a quoted name, a literal or a computed clause.
    """
    return filled(_written(name), fragments)


@cache
def _written(name: str) -> str:
    written = (shipped("sql") / "statements" / f"{name}.sql").read_text(encoding="utf-8")
    return without_comments(written).strip().rstrip(";")
