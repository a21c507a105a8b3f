"""If a file of a home is damaged, no command loses what another file still has; the table lists what each says.

Each row of TABLE: a kind of file, the sorts of damage, and what each command then says and ends with.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kit.archives import Place, place
from kit.comparing import difference
from kit.home import QUICK
from kit.shared import Shared
from rebuild.conftest import FIRST, prune_at
from variants import IS_ALL

from propsync.cli.status.command import print_status
from propsync.errors import PropsyncError
from propsync.landing import Manifests
from propsync.landing.pages import page_key
from propsync.runbooks.archiving.verify import verify
from propsync.storage import LocalStorage
from propsync_sandbox import Sandbox

Said = tuple[int, str]
KEPT: dict[str, Any] = {"landing_keep_days": 99_999}


@dataclass(frozen=True)
class Row:
    """Exit code and a part of what is said, if it is not that all is well.

    `sync_heals` where a rebuild after the sync succeeds again.
    """

    kind: str
    damages: str
    status: Said
    sync: Said = (0, "")
    rebuild: Said = (0, "")
    verify: Said = (0, "")
    sync_heals: bool = True


REFUSED = (1, "--accept-loss")
LOST_STATE = (1, "Run `propsync rebuild`")
AS_USUAL = (0, "days ago. Next: propsync sync")  # the nights of these homes are long past, and nothing else is wrong
TABLE = [
    Row(
        "a body that the API sends again",
        "removed cut altered",
        status=(0, "Damaged in landing: assets of run"),
        rebuild=REFUSED,
    ),
    Row(
        "a body that the API sends no more",
        "removed cut altered",
        status=(0, "Damaged in landing: assets of run"),
        rebuild=REFUSED,
        sync_heals=False,
    ),
    Row(
        "a manifest",
        "removed cut altered",
        status=(0, "manifest.json: it "),
        rebuild=REFUSED,
        sync_heals=False,
    ),
    Row(
        "the last manifest",
        "removed cut altered",
        status=(0, "manifest.json: it "),
        rebuild=REFUSED,
        sync_heals=False,
    ),
    Row(
        "a file of the base",
        "removed cut altered",
        status=(0, "Next: propsync sync, which writes the damaged base again"),
        sync=(0, "propsync writes the file again"),
        rebuild=(1, "Restore that file from a backup"),
    ),
    Row(
        "the manifest of the base",
        "cut altered",
        status=(0, "Next: propsync sync, which writes the damaged base again"),
        sync=(0, "propsync writes the file again"),
        rebuild=(1, "Restore that file from a backup"),
    ),
    Row(
        "the manifest of the base",
        "removed",
        status=(0, "manifest.json: it is missing"),
        rebuild=REFUSED,
        sync_heals=False,
    ),
    Row(
        "the whole landing",
        "removed",
        status=(0, "manifest.json: it is missing"),
        rebuild=(2, "nothing to rebuild from"),
        sync_heals=False,
    ),
    Row(
        "the state database",
        "removed cut altered",
        status=(0, "No run can use the state database"),
        sync=LOST_STATE,
        verify=LOST_STATE,
    ),
    Row(
        "the lock",
        "removed cut",
        status=AS_USUAL,
    ),
    Row(
        "the published file",
        "removed",
        status=(0, "Nothing is published"),
    ),
    Row(
        "the published file",
        "cut",  # it may open, and then lacks what is read
        status=(2, "published/warehouse.duckdb"),
        sync=(0, "propsync writes it again"),
        rebuild=(0, "propsync writes it again"),
    ),
    Row(
        "the published file",
        "altered",
        status=(2, "If the published file is damaged, `propsync sync` writes it again"),
    ),
    Row(
        "a published table in Parquet",
        "removed cut altered",
        status=AS_USUAL,
        sync=(0, "propsync writes it again"),
    ),
    Row(
        "the note beside it",
        "removed cut",
        status=AS_USUAL,
    ),
    Row(
        "a document",
        "removed",
        status=(0, "1 file missing in archive/"),
        verify=(0, "propsync fetched it again"),
    ),
    Row(
        "a document",
        "cut altered",
        status=AS_USUAL,
        verify=(0, "propsync fetched it again"),
    ),
    Row(
        "lines of documents not in the tables yet",
        "altered",
        status=AS_USUAL,
    ),
]
EACH_ANSWER = {
    ("a body that the API sends again", "altered"),
    ("the last manifest", "cut"),
    ("a file of the base", "removed"),
    ("the whole landing", "removed"),
    ("the state database", "altered"),
    ("the published file", "cut"),
    ("a document", "altered"),
    ("lines of documents not in the tables yet", "altered"),
}
"""A case for each way in which commands answer; with `VARIANTS=all`, every case runs."""
CASES = [
    pytest.param(row, damage, id=f"{row.kind}, {damage}")
    for row in TABLE
    for damage in row.damages.split()
    if IS_ALL or (row.kind, damage) in EACH_ANSWER
]
pytestmark = pytest.mark.release  # the home alone takes six nights; simulated bodies rot every day


SCALE = 12


@pytest.fixture(scope="session")
def damaged_nowhere(shared: Shared) -> Path:
    """A home with a base, three nights landed after it, and documents; to be copied, not used."""
    return shared.folder("with a base and documents", _make_lived) / "home"


def _make_lived(folder: Path) -> None:
    with place(folder / "home", scale=SCALE) as made:
        for day in range(6):
            made.sandbox.night()
            assert made.sync(now=FIRST + timedelta(days=day)).exit_code in (0, 3)
            if day == 4:
                prune_at(made, night=4, keep_days=1)
        made.archive()


@pytest.fixture
def lived(damaged_nowhere: Path) -> Iterator[Place]:
    """That home, and a sandbox as it was after the last night."""
    with Sandbox(scale=SCALE) as sandbox:
        for _ in range(6):
            sandbox.night()
        yield Place(sandbox, damaged_nowhere)


@pytest.fixture
def at(lived: Place, tmp_path: Path) -> Callable[[str], Place]:
    """Copies of that home, by name."""

    def copied(name: str) -> Place:
        shutil.copytree(lived.path, tmp_path / name)
        return Place(lived.sandbox, tmp_path / name)

    return copied


def test_the_home_has_a_file_of_each_kind(lived: Place) -> None:
    assert [row.kind for row in TABLE if not FILES[row.kind](lived.path).exists() and row.kind != _LINES] == []


@pytest.mark.parametrize(("row", "damage"), CASES)
def test_no_command_loses_what_another_file_has(
    row: Row,
    damage: str,
    lived: Place,
    at: Callable[[str], Place],
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("sync", "rebuild", "verify"):
        home = at(name)
        DAMAGES[damage](FILES[row.kind](home.path))
        if name == "sync":
            assert_said(row.status, *_said(partial(_status, home), caplog, capsys))
        before = _files(home.path)
        code, words = _said(partial(COMMANDS[name], home), caplog, capsys)
        assert_said(getattr(row, name), code, words)
        if code in (1, 2):
            assert _files(home.path) == before, f"{name} was refused and changed files"
        elif name != "verify":
            assert _lost(lived.path, home.path) == {}
        if name == "sync" and code == 0 and _is_landed(row, lived.path):
            again, _ = _said(partial(_rebuilt, home), caplog, capsys)
            assert (again == 0) is row.sync_heals
            assert _lost(lived.path, home.path) == {}


def _is_landed(row: Row, home: Path) -> bool:
    """Whether the file is one that a rebuild reads: a rebuild after a sync differs then from any other."""
    return FILES[row.kind](home).is_relative_to(home / "landing")


def _rebuilt(home: Place) -> int:
    return home.rebuild().exit_code


def assert_said(expected: Said, code: int, words: str) -> None:
    assert (code, expected[1] in words) == (expected[0], True), words


def _status(at: Place) -> int:
    return print_status(at.settings(), None, as_json=False)


def _sync(at: Place) -> int:
    return _told(at.sync(**KEPT))


def _rebuild(at: Place) -> int:
    return _told(at.rebuild())


def _verify(at: Place) -> int:
    report = verify(at.settings(), policy=QUICK)
    print(*report.mended, sep="\n")
    return _told(report)


def _told(report: object) -> int:
    print(*report.left_behind, sep="\n")  # type: ignore[attr-defined]
    return int(report.exit_code)  # type: ignore[attr-defined]


COMMANDS = {"sync": _sync, "rebuild": _rebuild, "verify": _verify}


def _said(
    command: Callable[[], int], caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """The exit code of a command, and all that it said."""
    caplog.clear()
    capsys.readouterr()
    with _warnings_heard(caplog):
        try:
            code = command()
        except PropsyncError as error:
            return error.exit_code, str(error)
    return code, capsys.readouterr().out + caplog.text


@contextmanager
def _warnings_heard(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.WARNING, logger="propsync"):
        yield


def _files(home: Path) -> dict[str, bytes]:
    """The files that a refused command must leave alone: all but the lock, and a state that is new and empty."""
    folders = [home / "landing", home / "published", home / "archive" / "blobs"]
    state = home / "state" / "warehouse.duckdb"
    found = {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}
    return found | ({str(state): state.read_bytes()} if state.exists() and state.stat().st_size > 10**6 else {})


def _lost(before: Path, after: Path) -> dict[str, list[object]]:
    """Rows of tables and history that were there and are not now."""
    found = difference(before / "published" / "warehouse.duckdb", after / "published" / "warehouse.duckdb")
    return {table: rows for table, rows in found.items() if rows[0]}


def _manifest(home: Path, place: int) -> Path:
    run_id = Manifests(LocalStorage(home)).runs("assets")[place]
    return home / "landing" / "assets" / run_id / "manifest.json"


def _body(home: Path, place: int) -> Path:
    """A page of the list of assets that only that night's snapshot names."""
    manifests = Manifests(LocalStorage(home))
    landed = {run_id: manifests.get("assets", run_id) for run_id in manifests.runs("assets")}
    pages = {
        run_id: {one.sha256 for one in manifest.landed if one.role == "page"}
        for run_id, manifest in landed.items()
        if manifest is not None
    }
    run_id = list(pages)[place]
    others = {sha256 for other, of_run in pages.items() if other != run_id for sha256 in of_run}
    return home / page_key(min(pages[run_id] - others))


_LINES = "lines of documents not in the tables yet"
FILES: dict[str, Callable[[Path], Path]] = {
    "a body that the API sends again": lambda home: _body(home, -1),
    "a body that the API sends no more": lambda home: _body(home, -2),
    "a manifest": lambda home: _manifest(home, -2),
    "the last manifest": lambda home: _manifest(home, -1),
    "a file of the base": lambda home: next((home / "landing" / "base").glob("*/history.assets.parquet")),
    "the manifest of the base": lambda home: next((home / "landing" / "base").glob("*/manifest.json")),
    "the whole landing": lambda home: home / "landing",
    "the state database": lambda home: home / "state" / "warehouse.duckdb",
    "the lock": lambda home: home / "state" / "run.lock",
    "the published file": lambda home: home / "published" / "warehouse.duckdb",
    "a published table in Parquet": lambda home: home / "published" / "parquet" / "main" / "assets.parquet",
    "the note beside it": lambda home: home / "published" / "_published.json",
    "a document": lambda home: min((home / "archive" / "blobs").rglob("*.pdf")),
    _LINES: lambda home: home / "archive" / "taken.jsonl",
}


def _removed(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _cut(path: Path) -> None:
    _write(path, path.read_bytes()[: path.stat().st_size // 2])


def _altered(path: Path) -> None:
    """A bit in the middle; of a database one in each block, as it has blocks that nothing names."""
    body = bytearray(path.read_bytes() if path.exists() else b"no line")
    middle = len(body) // 2
    for offset in range(20_000, len(body), 4_096) if path.suffix == ".duckdb" else (middle,):
        body[offset] ^= 1
    _write(path, bytes(body))


def _write(path: Path, body: bytes) -> None:
    """Over a file that nobody may write, too."""
    path.unlink(missing_ok=True)
    path.write_bytes(body)


DAMAGES: dict[str, Callable[[Path], None]] = {"removed": _removed, "cut": _cut, "altered": _altered}
