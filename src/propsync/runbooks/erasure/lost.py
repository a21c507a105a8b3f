"""Erasures that a database names and whose files are lost, or from before their end: others would come back, or go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from propsync.errors import StateUnusable
from propsync.merge import ErasuresOfFile, lost_erasures, revived_erasures
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import Erasure, Erasures
from propsync.suppression.erasures import FOLDER
from propsync.warehouse import Warehouse, statement


def refuse_lost_erasures(warehouse: Warehouse, storage: LocalStorage) -> None:
    """Raises StateUnusable if the open state names an erasure whose file is lost, or from before its end."""
    known = Erasures(storage).all()
    refuse(lost_erasures(warehouse.rows(statement("merge/erased/in_force")), known))
    _refuse_revived(revived_erasures(warehouse.rows(statement("merge/erased/forgotten")), known))


def erasures_in(settings: Settings, work: Path, path: Path) -> ErasuresOfFile:
    """The erasures of a database file. Raises StateUnusable."""
    return ErasuresOfFile.of(path, memory_limit=settings.memory_limit, folder=work)


def find_lost(settings: Settings, databases: Iterable[ErasuresOfFile]) -> list[Erasure]:
    """The erasures that any of these databases names and whose files are lost."""
    known = Erasures(LocalStorage(settings.home)).all()
    found = {one.erasure_id: one for database in databases for one in lost_erasures(database.in_force, known)}
    return list(found.values())


def refuse_revived(settings: Settings, databases: Iterable[ErasuresOfFile]) -> None:
    """Raises StateUnusable if any of these databases names an erasure whose file is from before its end."""
    known = Erasures(LocalStorage(settings.home)).all()
    for database in databases:
        _refuse_revived(revived_erasures(database.ended, known))


def _refuse_revived(revived: Sequence[Erasure]) -> None:
    if revived:
        named = revived[0].erasure_id
        what = f"its file of erasure {named} is from before `propsync erase --forget`, and would erase again"
        raise StateUnusable(FOLDER, what, f"Run `propsync erase --forget {named}`, then run again")


def refuse(lost: Sequence[Erasure]) -> None:
    """Raises StateUnusable if there are any."""
    if lost:
        named = lost[0].erasure_id
        what = f"it lacks the file of erasure {named}, and without it the erased record or text would come back"
        forget = f"run `propsync erase --forget {named}`, and erase again what comes back"
        step = f"Restore that folder from a backup, then run again. Without a backup, {forget}"
        raise StateUnusable(FOLDER, what, step)
