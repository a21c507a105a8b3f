"""The line of `propsync status` about erasures."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from propsync.cli.terminal.tables import echo
from propsync.settings import Settings
from propsync.storage import LocalStorage, may_list
from propsync.suppression import Erasures
from propsync.warehouse import PublishedReader, statement


def erasures_of(reader: PublishedReader, settings: Settings) -> dict[str, Any] | None:
    """How many erasures are published, and whether one is unfinished; None if there was never one.

    Only the account that runs propsync may see whether one is unfinished; for others it is None.
    """
    may_read = may_list(settings.landing)
    is_unfinished = Erasures(LocalStorage(settings.home)).unfinished() is not None if may_read else None
    found = {"erasures": 0, "last_at": None, "forgotten": 0}
    if reader.rows(statement("cli/status/has_erasures"))[1][0][0]:
        columns, rows = reader.rows(statement("cli/status/erasures"))
        found = dict(zip(columns, rows[0], strict=True))
    return found | {"is_unfinished": is_unfinished} if found["erasures"] or is_unfinished else None


def print_erasures(facts: dict[str, Any] | None) -> None:
    """Prints how many there were, and whether one has to be finished; nothing if there was never one."""
    if facts is None:
        return
    last = f"; the last on {facts['last_at'].astimezone(UTC):%Y-%m-%d}" if facts["last_at"] else ""
    forgotten = f"; {facts['forgotten']:,} forgotten" if facts["forgotten"] else ""
    unfinished = "; one was interrupted and is not finished" if facts["is_unfinished"] else ""
    echo(f"{'erasures':<17}{facts['erasures']:>9,} (ops.erasures){last}{forgotten}{unfinished}")
