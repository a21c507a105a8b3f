"""The cases: the programs to run, in order, and the names of their results."""

import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import bucket, programs
from benchmarks.documents import write_documents, write_large_bundle
from benchmarks.estate import Estate
from benchmarks.fetching import PAGE
from benchmarks.measured import Notes
from benchmarks.measuring import Cost
from benchmarks.nginx import Api, serving

SYNC = "sync --json"
FIRST, QUIET, CHANGED = "first load", "quiet night", "1 % night"
STATUS, HELP, REBUILD, QUERY = "propsync status", "propsync --help", "rebuild of {} nights", "query: "
BUCKET_ARCHIVE = "archive into a bucket"
ARCHIVE, IDLE_ARCHIVE, LARGE = "archive", "archive, nothing wanted", "archive, one bundle of 2 GB"
PUSH, WHOLE_PUSH = "push of 5,000 records", "push of 5,000 records, with start and publishing"
PROPSYNC, BARE, FLOOR = "propsync", "propsync without its desk", "floor"
BUCKET = "propsync with a bucket"
MERGE, SCD2, IMPORTS = "dlt merge", "dlt scd2", "import"
PLAIN_MERGE = "dlt merge, as its documentation begins"


_LARGE_BYTES = 2 * 1024**3


@dataclass(frozen=True)
class Place:
    """A served estate, and a folder for its results."""

    api: Api
    folder: Path
    estate: Estate

    def show(self, night: int) -> None:
        """Serves a night, and makes it if it is missing."""
        pages = self.nights / str(night)
        if not pages.exists():
            self.estate.write(pages, night)
        self.api.show(pages)

    @property
    def nights(self) -> Path:
        """The folder with the page files of every night."""
        return self.folder / "nights"

    def fresh(self, name: str) -> Path:
        """An empty folder."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder


@contextmanager
def place(folder: Path, scale: int, kind: str = "plain") -> Iterator[Place]:
    """Serves an estate of a scale and kind; deletes its folder afterwards."""
    try:
        with serving(folder) as api:
            yield Place(api, folder, Estate(scale, kind=kind))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def nights(where: Place, notes: Notes, only: Collection[str]) -> None:
    """First load, quiet night and 1 % night, each if requested; compares the contents."""
    home, bare, limit = where.fresh("home"), where.fresh("floor"), notes.memory_limit
    without = where.fresh("without")
    where.show(0)
    notes.add(FIRST, PROPSYNC, programs.propsync(SYNC, where.api, home, limit))
    notes.add(FIRST, BARE, programs.without_desk(where.api, without, limit))
    desk = _desk(where, without)
    notes.add(FIRST, FLOOR, programs.floor("load", where.api, bare, limit, desk))
    programs.assert_equal(home / "published", bare)
    if "queries" in only:
        queries(where, notes)
    if not {"quiet", "night"}.intersection(only):
        return
    programs.floor("learn", where.api, bare, limit)
    if "quiet" in only:
        notes.add(QUIET, PROPSYNC, programs.propsync(SYNC, where.api, home, limit))
        notes.add(QUIET, FLOOR, programs.floor("night", where.api, bare, limit))
    if "night" not in only:
        return
    kept = where.fresh("kept")
    shutil.copytree(home, kept, dirs_exist_ok=True)
    where.show(1)
    notes.add(CHANGED, PROPSYNC, programs.propsync(SYNC, where.api, home, limit))
    notes.add(CHANGED, BARE, programs.without_desk(where.api, without, limit))
    programs.without_desk(where.api, kept, limit)
    desk = _desk(where, kept)
    notes.add(CHANGED, FLOOR, programs.floor("night", where.api, bare, limit, desk))
    programs.assert_equal(home / "published", bare)


def _desk(where: Place, home: Path) -> Path:
    """The statements of the marts of a home, for the floor to run."""
    desk = where.fresh("desk")
    programs.write_desk_script(home, desk)
    return desk


def in_a_bucket(where: Place, notes: Notes) -> None:
    """First load, quiet night and 1 % night of a home in a bucket; those of a home on a disk are measured beside it."""
    home = where.fresh("bucket-home")
    with bucket.serving(where.folder / "bucket") as variables:
        for case, night in ((FIRST, 0), (QUIET, 0), (CHANGED, 1)):
            where.show(night)
            cost = programs.propsync(SYNC, where.api, home, notes.memory_limit, bucket=variables)
            notes.add(case, BUCKET, cost)


def queries(where: Place, notes: Notes) -> None:
    """Typical questions to propsync's published copy and to the floor's copy of the same night."""
    for contestant, folder in ((PROPSYNC, "home/published"), (FLOOR, "floor")):
        for name, cost in programs.queries(where.folder / folder / "warehouse.duckdb").items():
            notes.add(QUERY + name, contestant, cost)


def start(where: Place, notes: Notes) -> None:
    """The time until a command has answered, on the published copy of the nights before."""
    home = where.folder / "home"
    for case, command in ((STATUS, "status"), (HELP, "--help")):
        notes.add(case, PROPSYNC, programs.propsync(command, where.api, home, notes.memory_limit))
        notes.add(case, IMPORTS, programs.bare_import("duckdb, typer, pydantic"))


def peers(where: Place, notes: Notes) -> None:
    """dlt, if it can do the work: merging the first load, and the nights of a pipeline that keeps history."""
    where.show(0)
    _dlt(where, notes, FIRST, MERGE, where.fresh("merge"))
    begun = programs.dlt_begun("merge", where.api, where.fresh("begun"), PAGE)
    notes.add(FIRST, PLAIN_MERGE, begun, more=begun.said.strip())
    folder = where.fresh("scd2")
    _dlt(where, notes, FIRST, SCD2, folder)
    _dlt(where, notes, QUIET, SCD2, folder)
    where.show(1)
    _dlt(where, notes, CHANGED, SCD2, folder)


def _dlt(where: Place, notes: Notes, case: str, contestant: str, folder: Path) -> None:
    cost = programs.dlt(contestant.removeprefix("dlt "), where.api, folder)
    notes.add(case, contestant, cost, more=cost.said.strip())


def rebuild(where: Place, notes: Notes, how_many: int, repeats: int) -> None:
    """Rebuilds from that many landed nights; the floor reads the pages of all, loads the last night, makes marts."""
    home, bare, limit = where.fresh("home"), where.fresh("floor"), notes.memory_limit
    without = where.fresh("without")
    for night in range(how_many):
        where.show(night)
        programs.propsync(SYNC, where.api, home, limit)
        programs.without_desk(where.api, without, limit)
    for _ in range(repeats):
        notes.add(REBUILD.format(how_many), PROPSYNC, programs.propsync("rebuild", where.api, home, limit))
        reread, desk = programs.floor("reread", where.api, where.nights, limit), _desk(where, without)
        notes.add(REBUILD.format(how_many), FLOOR, programs.floor("load", where.api, bare, limit, desk) + reread)
    programs.assert_equal(home / "published", bare)


def archive(where: Place, notes: Notes, repeats: int) -> None:
    """The documents of an estate, all of them; then nothing; then one large bundle."""
    where.show(0)
    write_documents(where.nights / "0")
    for number in range(repeats):  # nothing is removed meanwhile: ext4 looks at each file removed of late for a new one
        home = where.fresh(f"home-{number}")
        programs.propsync(SYNC, where.api, home, notes.memory_limit)
        for case in (ARCHIVE, IDLE_ARCHIVE):
            notes.add(case, PROPSYNC, _archived(where, notes, home))
        notes.add(ARCHIVE, FLOOR, programs.floor_documents(where.api, where.fresh(f"floor-{number}")))
        _archive_into_a_bucket(where, notes)
    write_large_bundle(where.nights / "0", _LARGE_BYTES)
    home = where.fresh("home")
    programs.propsync(SYNC, where.api, home, notes.memory_limit)
    notes.add(LARGE, PROPSYNC, _archived(where, notes, home))


def _archive_into_a_bucket(where: Place, notes: Notes) -> None:
    """Both use one server, one after the other."""
    home = where.fresh("bucket-home")
    with bucket.serving(where.folder / "bucket") as variables:
        programs.propsync(SYNC, where.api, home, notes.memory_limit, bucket=variables)
        notes.add(BUCKET_ARCHIVE, PROPSYNC, _archived(where, notes, home, variables))
        notes.add(BUCKET_ARCHIVE, FLOOR, programs.floor_documents(where.api, where.fresh("bucket-floor"), variables))


def _archived(where: Place, notes: Notes, home: Path, variables: Mapping[str, str] | None = None) -> Cost:
    return programs.propsync(
        "archive", where.api, home, notes.memory_limit, documents="report,bundle", bucket=variables
    )


def growth(where: Place, notes: Notes) -> None:
    """propsync alone, at one scale of several."""
    home = where.fresh("home")
    for case, night in ((FIRST, 0), (QUIET, 0), (CHANGED, 1)):
        where.show(night)
        notes.add(case, PROPSYNC, programs.propsync(SYNC, where.api, home, notes.memory_limit))
