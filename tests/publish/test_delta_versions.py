"""The versions of a Delta table: each whole at every moment, dated as the runs they show, and kept for some days."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import CommitProperties, write_deltalake
from deltalake.exceptions import DeltaError
from kit.deaths import dying
from publish.delta_kit import DAY, OneTable, moment

from propsync.errors import HomeUnusable
from propsync.publish import delta_log
from propsync.publish.delta_log import LOG

START = datetime(2026, 3, 2, 1, 30, 0, 123_456, tzinfo=UTC)


@pytest.fixture
def one(tmp_path: Path) -> OneTable:
    return OneTable(tmp_path)


def lived(one: OneTable, nights: int) -> list[str]:
    """A run each night, whose only row is the night's number."""
    return [one.publish(f"select {night} as night", START + night * DAY) for night in range(nights)]


def test_a_moment_shows_the_version_of_the_last_run_before_it(one: OneTable) -> None:
    runs = lived(one, 12)
    for night, run in enumerate(runs):
        assert one.rows(moment(run)) == [(night,)]
        assert one.rows(moment(run) + DAY / 2) == [(night,)]
        assert one.rows(night) == [(night,)]
    told = [json.loads(info["propsync"]) for info in one.table().history()]
    assert [info["run"] for info in told] == runs[::-1]
    assert [info["userMetadata"] for info in one.table().history(1)] == [f"propsync run {runs[-1]}"]


def test_a_version_is_dated_by_the_run_that_changed_the_table_and_not_by_the_one_that_published_it(
    one: OneTable,
) -> None:
    one.publish("select 1 as night", START)
    one.publish("select 2 as night", START + 3 * DAY, changed=START + DAY)
    assert one.rows(START + DAY) == [(2,)]
    again = "select 2 as night, 'new' as form"
    one.publish(again, START + 4 * DAY, {"form": "another form of the same"}, changed=START + DAY)
    assert one.rows(START + DAY / 2) == [(1,)]
    assert one.rows(START + 2 * DAY) == [(2, "new")]


def test_a_table_that_did_not_change_gets_no_version(one: OneTable) -> None:
    one.publish("select 1 as night", START)
    before = one.log(), one.files()
    one.publish("select 1 as night", START + DAY, changed=START)
    assert (one.log(), one.files()) == before
    assert one.note["main/t"]["version"] == 0
    assert one.damaged == []


@pytest.mark.slow
def test_versions_stay_for_the_days_asked_for_and_no_longer(tmp_path: Path) -> None:
    one = OneTable(tmp_path, keep_days=7)
    runs = lived(one, 45)
    last = START + 44 * DAY
    # night 37 was replaced 6 days ago, night 36 was replaced 7 days ago, night 35 8 days ago
    assert one.files() == sorted(f"{run}-{night}.parquet" for night, run in enumerate(runs) if night >= 36)
    for night in range(36, 45):
        assert one.rows(night) == [(night,)]
        assert one.rows(START + night * DAY) == [(night,)]
    assert one.log()[0] == "00000000000000000030.checkpoint.parquet", "the log begins where the oldest version needs it"
    useless = one.table().vacuum(0, enforce_retention_duration=False, full=True, keep_versions=list(range(36, 45)))
    assert {*useless} & {*one.files()} == set(), "deltalake finds nothing more to remove"
    one.publish("select 44 as night", last + 30 * DAY, changed=last)
    assert one.files() == [f"{runs[44]}-44.parquet"]
    assert one.log()[0] == "00000000000000000040.checkpoint.parquet"
    assert one.rows() == [(44,)]


def test_a_version_stays_for_these_days_after_another_replaced_it(tmp_path: Path) -> None:
    one = OneTable(tmp_path, keep_days=7)
    one.publish("select 0 as night", START)
    one.publish("select 1 as night", START + 100 * DAY)
    one.publish("select 1 as night", START + 107 * DAY, changed=START + 100 * DAY)
    assert one.rows(START + 50 * DAY) == [(0,)]
    one.publish("select 1 as night", START + 108 * DAY, changed=START + 100 * DAY)
    assert one.files() == [f"{one.runs[1]}-1.parquet"]


def test_an_overwrite_that_is_killed_leaves_the_old_version_and_the_next_run_puts_it_right(tmp_path: Path) -> None:
    lived(OneTable(tmp_path / "before", keep_days=5), 10)

    def killed(at: int | None) -> tuple[OneTable, list[str]]:
        one = OneTable(tmp_path / str(at), keep_days=5)
        shutil.copytree(tmp_path / "before" / "delta", one.folder.parents[1])
        with dying(at) as moments:
            rows = "select 10 as night, 'new' as more"
            one.publish(rows, START + 10 * DAY, {"more": "a new comment", "": "New words"})
        return one, moments.names

    _, moments = killed(None)
    assert {name.split()[0] for name in moments} == {"unlink", "replace"}
    assert any(name.endswith(".checkpoint.parquet") for name in moments)
    for at in range(len(moments)):
        one, names = killed(at)
        assert one.rows() in ([(9,)], [(10, "new")]), names
        assert one.rows(START + 9 * DAY) == [(9,)], names
        one.publish("select 'right' as night", START + 11 * DAY)
        assert (one.rows(), one.damaged) == ([("right",)], []), names
        assert one.rows(START + 9 * DAY) == [(9,)], names
        named = {json.loads(info["propsync"])["file"] for info in one.table().history()}
        assert {*one.files()} <= named, names


def test_new_and_wider_columns_new_comments_and_other_days_arrive_with_the_next_version(one: OneTable) -> None:
    one.publish("select 1::bigint as n, null::varchar as nothing", START, {"n": "a number"})
    one.keep_days = 9
    one.publish(
        "select 2.5::double as n, null::varchar as nothing, 'x' as more", START + DAY, {"more": "new", "n": "another"}
    )
    types = {field.name: (field.type.type, field.metadata) for field in one.table().schema().fields}
    assert types == {
        "n": ("double", {"comment": "another"}),
        "nothing": ("string", {}),
        "more": ("string", {"comment": "new"}),
    }
    assert one.table().metadata().configuration["delta.deletedFileRetentionDuration"] == "interval 9 days"
    assert one.rows(START) == [(1, None)]
    assert one.rows() == [(2.5, None, "x")]


def test_the_description_of_the_table_follows(one: OneTable) -> None:
    one.publish("select 1 as n", START)
    assert (one.table().metadata().name, one.table().metadata().description) == ("main.t", "A table")
    one.publish("select 2 as n", START + DAY, {"": "Other words"})
    assert one.table().metadata().description == "Other words"
    assert one.rows(START + DAY / 2) == [(1,)]
    assert one.rows(START + DAY) == [(2,)]


def lose_rows(one: OneTable) -> None:
    (one.folder / one.files()[-1]).unlink()


def alter_rows(one: OneTable) -> None:
    path = one.folder / one.files()[-1]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1] + b"x")


def lose_last_commit(one: OneTable) -> None:
    (one.folder / LOG / one.log()[-1]).unlink()


def write_elsewhere(one: OneTable) -> None:
    write_deltalake(
        one.folder,
        pa.table({"night": pa.array([99], pa.int32())}),
        mode="append",
        commit_properties=CommitProperties(custom_metadata={"userMetadata": "by hand"}),
    )


@pytest.mark.parametrize("harm", [lose_rows, alter_rows, lose_last_commit, write_elsewhere])
def test_an_altered_table_is_written_again_as_a_new_version(one: OneTable, harm: Callable[[OneTable], None]) -> None:
    runs = lived(one, 3)
    harm(one)
    one.publish("select 'again' as night", START + 5 * DAY, changed=START + 2 * DAY)
    assert one.rows() == [("again",)]
    assert one.rows(moment(runs[1])) == [(1,)]
    (line,) = one.damaged
    assert line.startswith(f"{one.folder} has changed since it was published")
    one.publish("select 'again' as night", START + 6 * DAY, changed=START + 2 * DAY)
    assert one.damaged == []


def lose_a_commit(one: OneTable) -> None:
    (one.folder / LOG / one.log()[1]).unlink()


def spoil_a_commit(one: OneTable) -> None:
    path = one.folder / LOG / one.log()[-1]
    path.chmod(0o644)
    path.write_text('{"add"')


def lose_the_log(one: OneTable) -> None:
    for name in one.log():
        (one.folder / LOG / name).unlink()


def _add_elsewhere(one: OneTable, *actions: Any) -> None:
    lines = [json.dumps(action) for action in ({"commitInfo": {"operation": "SET TBLPROPERTIES"}}, *actions)]
    (one.folder / LOG / f"{len(one.log()):020}.json").write_text("\n".join(lines))


def turn_on_deletion_vectors(one: OneTable) -> None:
    features = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    _add_elsewhere(one, {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}})


def turn_on_row_tracking(one: OneTable) -> None:
    features = {"writerFeatures": ["rowTracking", "domainMetadata"]}
    _add_elsewhere(one, {"protocol": {"minReaderVersion": 1, "minWriterVersion": 7, **features}})


def forbid_to_overwrite(one: OneTable) -> None:
    first = (one.folder / LOG / one.log()[0]).read_text().splitlines()
    (made,) = (action for action in map(json.loads, first) if "metaData" in action)
    made["metaData"]["configuration"]["delta.appendOnly"] = "true"
    _add_elsewhere(one, made)


@pytest.mark.parametrize(
    "harm",
    [
        lose_a_commit,
        spoil_a_commit,
        lose_the_log,
        turn_on_deletion_vectors,
        turn_on_row_tracking,
        forbid_to_overwrite,
    ],
)
@pytest.mark.parametrize("changed", [START + 2 * DAY, None], ids=["a quiet night", "a night of changes"])
def test_a_table_whose_log_cannot_be_read_or_continued_begins_again(
    one: OneTable, harm: Callable[[OneTable], None], changed: datetime | None
) -> None:
    lived(one, 3)
    identity = one.note["main/t"]["id"]
    harm(one)
    run = one.publish("select 'again' as night", START + 5 * DAY, changed=changed)
    assert one.rows() == [("again",)]
    assert one.files() == [f"{run}-0.parquet"]
    assert "without its older versions" in one.damaged[0]
    assert one.note["main/t"]["id"] != identity


@pytest.mark.parametrize(
    ("words", "step"),
    [
        ("Too many open files (os error 24)", r"Raise the limit of open files"),
        ("Permission denied (os error 13)", "Give it to the user who runs propsync"),
    ],
)
def test_a_table_that_a_limit_or_a_right_keeps_from_a_run_keeps_its_versions(
    one: OneTable, monkeypatch: pytest.MonkeyPatch, words: str, step: str
) -> None:
    """It began again without them."""
    runs = lived(one, 3)

    def refused(_: object) -> None:
        raise OSError(f"Kernel error -> Unable to open file: {words}")

    with monkeypatch.context() as patch:
        patch.setattr(delta_log, "DeltaTable", refused)
        with pytest.raises(HomeUnusable, match=step):
            one.publish("select 3 as night", START + 3 * DAY)
    one.publish("select 4 as night", START + 4 * DAY)
    assert (one.damaged, one.rows(moment(runs[0])), one.rows()) == ([], [(0,)], [(4,)])


def test_a_table_that_the_disk_gives_no_more_once_it_is_written_is_named(
    one: OneTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was called a fault in propsync."""
    lived(one, 2)
    plainly, reads = delta_log.DeltaTable, [0]

    def failing(folder: Path) -> Any:
        reads[0] += 1
        if reads[0] > 1:
            raise DeltaError("Kernel error: Io error: Input/output error (os error 5)")
        return plainly(folder)

    with monkeypatch.context() as patch:
        patch.setattr(delta_log, "DeltaTable", failing)
        with pytest.raises(HomeUnusable, match=r"propsync has just written it\. The disk or its connection failed"):
            one.publish("select 2 as night", START + 2 * DAY)
    one.publish("select 3 as night", START + 3 * DAY)
    assert one.rows() == [(3,)]


def test_a_table_that_is_gone_is_removed(one: OneTable) -> None:
    lived(one, 2)
    one.publish("select 1 as n", START + 5 * DAY, is_there=False)
    assert not one.folder.parent.exists()
    assert one.note == {}


def test_no_log_names_a_folder_of_this_computer(one: OneTable, tmp_path: Path) -> None:
    lived(one, 2)
    assert [name for name in one.log() if str(tmp_path) in (one.folder / LOG / name).read_text()] == []
