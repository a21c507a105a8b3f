"""Documents of a nightly run: the report says what became of them, and the tables never suffer."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kit.archives import SMALL, Place, place
from kit.hint_home import assessment_hint
from kit.small_api import SmallHome

from propsync.errors import DiskFull, MergeFailed, PropsyncError
from propsync.runbooks import read_hints
from propsync.runbooks.resource_sync import ResourceSync
from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox, Post


@pytest.fixture
def home(archived_small: Path, tmp_path: Path) -> Iterator[Place]:
    """A sandbox, and a home that has its records and documents."""
    with place(tmp_path / "home", archived_small, scale=SMALL) as made:
        yield made


@pytest.mark.costly
@pytest.mark.parametrize("error", [MergeFailed("documents", "no memory left"), DiskFull("archive", "the disk is full")])
def test_what_ends_the_archive_leaves_the_tables_published(
    home: Place, monkeypatch: pytest.MonkeyPatch, error: PropsyncError
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(sys.modules["propsync.runbooks.night"], "archived", fails)
    report = home.night()
    assert (report.status, report.exit_code) == ("attention", 3)
    assert report.published is not None
    assert [line for line in report.left_behind if line.startswith("documents: ") and error.what in line]


@pytest.mark.slow
def test_a_file_of_the_archive_that_the_disk_fails_to_read_leaves_the_tables_published(home: Place) -> None:
    """The sync exited 1, as if it had published nothing."""
    taken = home.path / "archive" / "taken.jsonl"
    taken.symlink_to("/proc/self/mem")  # whose first byte is an Input/output error
    report = home.night()
    assert (report.status, report.exit_code) == ("attention", 3)
    (line,) = report.left_behind
    assert line.startswith(f"documents: {taken}: it cannot be read: Input/output error. The disk or its connection")
    taken.unlink()
    assert home.night().exit_code == 0


def test_progress_is_told_the_bytes_that_came(
    synced_small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[float, int]] = []

    class Bar:
        total = None

        def advance(self, n: float = 1, size: int = 0) -> None:
            told.append((n, size))

    @contextmanager
    def progress(*_: object) -> Iterator[Bar]:
        yield Bar()

    monkeypatch.setattr(sys.modules["propsync.runbooks.archiving.archive"], "progress", progress)
    with place(tmp_path / "home", synced_small, scale=SMALL) as home:
        report = home.archive()
    assert len(told) == report.counts["stored"] > 0
    assert sum(size for _, size in told) == report.counts["bytes"] > 0


def test_an_archive_after_a_sync_that_died_before_its_tables_publishes_both_or_neither(
    home: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.sandbox.night()
    with monkeypatch.context() as dying:
        dying.setattr(ResourceSync, "build", dies)
        with pytest.raises(KeyboardInterrupt):
            home.sync()
    home.archive()
    for table, key in (("assets", "asset_id"), ("assessments", "assessment_id")):
        current = f"select {key} as key, record_hash from history.{table} where valid_to is null and change <> 'delete'"
        apart = f"from ({current}) as one full join {table} as other on one.key = other.{key}"
        differing = f"select count(*) {apart} where one.key is null or other.{key} is null"
        assert home.rows(differing) == [(0,)]
        newest = f"select (select max(valid_from) from history.{table}) = (select max(changed_at) from {table})"
        assert home.rows(newest) == [(True,)]


def dies(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.release
def test_a_rebuild_tells_what_is_lacking(home: Place) -> None:
    before = home.rows("from marts.document_coverage order by all")
    home.rebuild(archive_kinds="report,bundle", archive_statuses="approved,submitted")
    lacking = home.rows("from marts.document_coverage order by all")
    ((submitted,),) = home.rows("select count(*) from assessments where status = 'submitted'")
    assert submitted > 0
    assert len(lacking) == len(before) + 2 * submitted


def test_an_api_that_lists_nothing_is_told_of(small_nights: SmallHome) -> None:
    """A token without rights looks so; with one record, or where a person asked for some lists only, nobody wonders."""
    home, api = small_nights, small_nights.server
    types, api.types, api.assessment_types, api.assets, api.assessments = api.types, [], [], [], []
    report = home.sync()
    assert report.exit_code == 0
    (line,) = report.notes
    assert line.startswith(
        "the API listed no record of any kind. If your organisation has some, this token may not see"
    )
    assert home.sync(["assets"]).notes == []
    api.types = types
    assert home.sync().notes == []


def test_requests_that_nothing_answered_count_where_nothing_else_was_sent(small_nights: SmallHome) -> None:
    """Those for types count with the records that propsync did not ask for; those of hints use up the day's budget."""
    home = small_nights
    home.sync()
    sent = (
        "select requests from ops.run_resources where resource = '{}' and run_id = (select max(run_id) from ops.runs)"
    )
    home.usual["base_url"] = "http://127.0.0.1:9"
    home.sync()
    assert home.in_state(sent.format("assets")) == [(3,)]
    later = datetime.now(UTC) + timedelta(hours=1)
    Inbox(LocalStorage(home.path)).add([Post(later, json.dumps([assessment_hint("s1")]).encode())])
    read_hints(home.settings(), call=home.call, policy=home.policy, now=later)
    assert home.in_state(sent.format("assessments")) == [(3,)]
