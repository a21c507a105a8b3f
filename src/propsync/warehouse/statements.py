"""The statements under `sql/statements/`: what a module asks of a database or changes in it, beside the models."""

from __future__ import annotations

import re
from functools import cache

from propsync.shipped import shipped
from propsync.warehouse.model_order import without_comments

_FRAGMENT = re.compile(r"\{\{(\w+)\}\}")


def statement(name: str, **fragments: str) -> str:
    """The statement in `sql/statements/<name>.sql`, to be run with values for each `$name` in it.

    `{{name}}` stands for a fragment: a quoted name, a literal or a clause that is computed.
    """
    return _FRAGMENT.sub(lambda found: fragments[found[1]], _written(name))


@cache
def _written(name: str) -> str:
    written = (shipped("sql") / "statements" / f"{name}.sql").read_text(encoding="utf-8")
    return without_comments(written).strip().rstrip(";")
