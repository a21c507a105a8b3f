"""Staged rows are gone before a run checks, before a rebuild builds its desk, and before either publishes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kit.archives import SMALL, place

from propsync.publish import Publisher
from propsync.warehouse import Warehouse

_STAGED = "select table_name from duckdb_tables() where database_name = 'staging'"


def _before(call: Callable[..., Any], warehouse: Callable[..., Warehouse], found: list[Any]) -> Callable[..., Any]:
    """The same function, which first notes what is staged."""

    def noted(*given: Any, **named: Any) -> Any:
        found.append(warehouse(*given).rows(_STAGED))
        return call(*given, **named)

    return noted


@pytest.mark.slow
def test_nothing_stays_staged(synced_small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[list[tuple[str]]] = []
    of_workspace = [("run_frame", "check"), ("rebuilding.tables", "build_desk")]
    for module, name in of_workspace:
        at = sys.modules[f"propsync.runbooks.{module}"]
        monkeypatch.setattr(at, name, _before(getattr(at, name), lambda workspace, *_: workspace.warehouse, found))
    write = _before(Publisher._put_table, lambda _, warehouse, *__: warehouse, found)
    monkeypatch.setattr(Publisher, "_put_table", write)
    with place(tmp_path / "home", synced_small, scale=SMALL) as home:
        home.night()
        of_night = len(found)
        home.rebuild()
    assert found == [[]] * len(found)
    assert len(found) > of_night > 1
