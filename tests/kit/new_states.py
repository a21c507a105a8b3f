"""New state databases, made once: the declarations of all tables, views and macros take a quarter of a second."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kit.shared import Shared

from propsync.warehouse import Warehouse

_NAME = "warehouse.duckdb"


@contextmanager
def made_once(shared: Shared) -> Iterator[None]:
    """Where this process would make a new state database, it copies the first one that tests made, and opens that."""
    really = Warehouse.__init__

    def make(folder: Path) -> None:
        made = Warehouse.__new__(Warehouse)
        really(made, folder / _NAME, memory_limit="1GB", folder=folder)
        made.close()

    def opened(self: Warehouse, path: Path, **given: Any) -> None:
        if path.parent.is_dir() and not path.exists() and not path.with_name(f"{path.name}.wal").exists():
            shutil.copyfile(shared.folder("new state", make) / _NAME, path)
        really(self, path, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Warehouse, "__init__", opened)
        yield
