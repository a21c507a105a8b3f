"""A home that followed a sandbox for some nights on a clock of its own, with documents, and a witness of the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from kit.sandbox_home import SandboxHome
from questions.lists import Lists
from questions.witness import ZONE, Witness

from propsync_sandbox import Sandbox, write_reference

_MODULES = ("propsync.documents.fetcher", "propsync.runbooks.archiving.archive", "propsync.runs.run")
_TICK = timedelta(milliseconds=1)
LISTS = """[reference]
properties = "properties.csv"
users = "users.csv"
requirements = "requirements.csv"
"""


class Clock:
    """Replaces `datetime` where propsync asks for `now`; no two answers are the same."""

    strptime = datetime.strptime

    def __init__(self) -> None:
        self.time = datetime.min.replace(tzinfo=UTC)

    def set(self, day: date) -> None:
        """To half past two in the night before that day's work."""
        self.time = datetime.combine(day, time(2, 30), ZONE).astimezone(UTC)

    def now(self, _zone: tzinfo) -> datetime:
        """A moment after the one before."""
        self.time += _TICK
        return self.time


@contextmanager
def clock() -> Iterator[Clock]:
    """During the block, propsync's runs happen at its time."""
    one = Clock()
    with _patched(_MODULES, one):
        yield one


@contextmanager
def _patched(modules: Sequence[str], one: Clock) -> Iterator[None]:
    if not modules:
        yield
        return
    module: Any = import_module(modules[0])
    with patch.object(module, "datetime", one), _patched(modules[1:], one):
        yield


def live(sandbox: Sandbox, folder: Path, nights: int) -> tuple[SandboxHome, Witness]:
    """One sync before the first night, and one after each; every sync ends well."""
    home = SandboxHome(sandbox, folder / "home", archive_text="true")
    home.has_desk = True
    home.path.mkdir(parents=True)
    write_reference(sandbox.world, home.path)
    (home.path / "propsync.toml").write_text(LISTS)
    with clock() as watch:
        for night in range(nights + 1):
            if night:
                sandbox.night()
            watch.set(sandbox.world.today)
            report = home.night(now=watch.now(UTC))
            assert report.exit_code == 0, report.left_behind
    return home, Witness(sandbox.world, sandbox.journal.entries(), Lists(home.path), range(nights + 1))
