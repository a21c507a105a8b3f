"""The cases: what is run, in which order, and under which names it is noted."""

import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import programs
from benchmarks.estate import Estate
from benchmarks.measured import Notes
from benchmarks.nginx import Api, serving

SYNC = "sync --json"
FIRST, QUIET, CHANGED, REBUILD = "first load", "quiet night", "1 % night", "rebuild"
PROPSYNC, FLOOR, MERGE, SCD2, IMPORTS = "propsync", "floor", "dlt merge", "dlt scd2", "import"


@dataclass(frozen=True)
class Place:
    """An estate that is served, and a folder for what is made of it."""

    api: Api
    folder: Path
    estate: Estate

    def show(self, night: int) -> None:
        """Serves a night, made if it is not there yet."""
        pages = self.folder / f"nights/{night}"
        if not pages.exists():
            self.estate.write(pages, night)
        self.api.show(pages)

    def fresh(self, name: str) -> Path:
        """An empty folder."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder


@contextmanager
def place(folder: Path, scale: int) -> Iterator[Place]:
    """Serves an estate of a scale; what is in the folder goes with it."""
    with serving(folder) as api:
        yield Place(api, folder, Estate(scale))
    shutil.rmtree(folder)


def nights(where: Place, notes: Notes, only: Collection[str]) -> None:
    """First load, quiet night and 1 % night, each as far as it is asked for; contents are compared."""
    home, bare, limit = where.fresh("home"), where.fresh("floor"), notes.memory_limit
    where.show(0)
    notes.add(FIRST, PROPSYNC, programs.propsync(SYNC, where.api, home, limit))
    notes.add(FIRST, FLOOR, programs.floor("load", where.api, bare, limit))
    programs.assert_equal(home / "published", bare)
    if not {"quiet", "night"}.intersection(only):
        return
    programs.floor("quiet", where.api, bare, limit)  # its first run has nothing to compare with
    notes.add(QUIET, PROPSYNC, programs.propsync(SYNC, where.api, home, limit))
    notes.add(QUIET, FLOOR, programs.floor("quiet", where.api, bare, limit))
    if "night" not in only:
        return
    where.show(1)
    notes.add(CHANGED, PROPSYNC, programs.propsync(SYNC, where.api, home, limit))
    notes.add(CHANGED, FLOOR, programs.floor("quiet", where.api, bare, limit))
    programs.floor("load", where.api, bare, limit)
    programs.assert_equal(home / "published", bare)
