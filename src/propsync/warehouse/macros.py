"""The macros under `sql/macros/`: those that people get, and in a folder of their own those for what is staged."""

from __future__ import annotations

from propsync.shipped import shipped


def macros(folder: str = "") -> list[str]:
    """The statements of each file in `folder`; those that people get replace macros of the same name."""
    return [path.read_text(encoding="utf-8") for path in sorted((shipped("sql") / "macros" / folder).glob("*.sql"))]
