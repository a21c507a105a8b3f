"""A file with the rights of another user, or on a disk that became read-only, is named with what to do about it."""

from __future__ import annotations

import errno
from functools import partial
from pathlib import Path

import duckdb
import pytest

from propsync.cli import main
from propsync.errors import GIVE_IT_BACK, LOOK_AT_DISK, HomeUnusable, MergeFailed, QueryWrong, StateUnusable, UsageError
from propsync.storage import MORE_FILES
from propsync.warehouse import reader
from propsync.warehouse.database_errors import CLOSE_IT, damage_of, opening, our_errors
from propsync.warehouse.query_errors import explained

damage = partial(damage_of, folder=Path("work"))


@pytest.mark.parametrize("reading", [our_errors, damage])
@pytest.mark.parametrize("why", ["Permission denied", "Read-only file system"])
def test_no_rebuild_is_advised_for_a_database_with_the_wrong_rights(reading, why: str) -> None:
    path = Path("/home/state/warehouse.duckdb")
    with pytest.raises(HomeUnusable) as refused, reading(path):
        raise duckdb.IOException(f'IO Error: Cannot open file "{path}": {why}')
    assert str(refused.value) == f'{path}: IO Error: Cannot open file "{path}": {why}. {GIVE_IT_BACK}'


@pytest.mark.parametrize("reading", [our_errors, opening, damage])
def test_a_lack_of_open_files_is_no_damage_of_a_database(reading) -> None:
    """A rebuild would carry nothing over from a file that it took for damaged."""
    with pytest.raises(MergeFailed, match=r"Raise the limit of open files \(`ulimit -n`"), reading(Path("w.duckdb")):
        raise duckdb.IOException('IO Error: Could not rename file "a" to "b": Too many open files')


@pytest.mark.parametrize(
    "error", [duckdb.FatalException("FATAL Error: fsync failed!"), duckdb.IOException("Input/output error")]
)
def test_a_disk_that_fails_is_named_before_a_rebuild(error: duckdb.Error) -> None:
    """The file may be whole, and a new one would meet the same disk."""
    step = r"look at the messages of the system.* run the same command again, and"
    with pytest.raises(StateUnusable, match=step), our_errors(Path("warehouse.duckdb")):
        raise error


@pytest.mark.parametrize(
    ("words", "step"),
    [
        ("Input/output error", f"{LOOK_AT_DISK}. If it says so again, `propsync sync` writes the published file again"),
        ("Too many open files", MORE_FILES),
        ("Could not set lock on file", CLOSE_IT),
    ],
)
def test_a_query_names_the_disk_that_cannot_read_what_is_published(
    words: str, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise duckdb.IOException(f'IO Error: Could not read from file "{tmp_path}": {words}')

    with pytest.raises(QueryWrong) as refused, explained():
        fails()
    assert refused.value.next_step == step
    monkeypatch.setattr(reader.duckdb, "connect", fails)
    with pytest.raises(UsageError) as unopened:
        reader.connected(tmp_path, {}, "UTC")
    assert unopened.value.next_step == step


FULL = "it cannot be written (not for you). Make room on the disk, then run the same command again"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EACCES, f"it cannot be used (not for you). {GIVE_IT_BACK}"),
        (errno.EROFS, f"it cannot be used (not for you). {GIVE_IT_BACK}"),
        (errno.EIO, f"it cannot be used (not for you). {LOOK_AT_DISK}"),
        (errno.EMFILE, f"it cannot be used (not for you). {MORE_FILES}"),
        (errno.ENOSPC, FULL),
    ],
)
def test_no_file_with_the_wrong_rights_or_on_a_bad_disk_is_a_fault_in_propsync(
    number: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(**_: object) -> None:
        raise OSError(number, "not for you", "/home/landing/erasures/key")

    monkeypatch.setattr(main, "app", refused)
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"propsync: /home/landing/erasures/key: {words}\n"
