"""Documents of assessments that were deleted long ago go after PROPSYNC_ARCHIVE_KEEP_YEARS, and no others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.archives import SMALL, Place, place
from kit.command_line import CommandLine
from kit.home import QUICK, Rows

from propsync.documents.blobs import Blobs
from propsync.runbooks.archiving.verify import verify

pytestmark = pytest.mark.slow
STATES = "select kind, state, path is null, sha256 is not null from documents where assessment_id = '{}' order by kind"
GONE = [("bundle", "removed", True, True), ("report", "removed", True, True)]


@pytest.fixture
def at(archived_small: Path, tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path / "home", archived_small, scale=SMALL) as made:
        made.sandbox.journal.clear()
        yield made


def deleted(at: Place, number: int, years: float) -> str:
    """An assessment that a sync saw deleted, that many years ago."""
    key = at.wanted()[number]
    at.sandbox.world.assessments.delete(key)
    at.night(delete_limit=1)
    shift(at, key, years)
    return key


def shift(at: Place, key: str, years: float) -> None:
    """Makes what is known of an assessment older."""
    at.in_state(
        f"update history.assessments set valid_from = valid_from - {days(years)}, valid_to = valid_to - {days(years)} "
        f"where assessment_id = '{key}'"
    )


def days(years: float) -> str:
    return f"to_days({int(years * 365.25)})"


def files(at: Place, key: str) -> list[Path]:
    return [at.path / path for (path,) in at.rows(f"select path from documents where assessment_id = '{key}'")]


def states(at: Place, key: str) -> Rows:
    return at.rows(STATES.format(key))


def test_documents_of_long_deleted_assessments_go_and_no_others(at: Place) -> None:
    old, young = deleted(at, 0, 7.1), deleted(at, 1, 6.9)
    of_old, of_young = files(at, old), files(at, young)
    others = at.rows(f"select * from documents where assessment_id <> '{old}' order by all")

    assert at.archive().counts["removed"] == 0
    assert all(file.exists() for file in of_old)

    report = at.archive(archive_keep_years=7)
    assert (report.exit_code, report.counts["removed"], report.lacking) == (0, 2, 0)
    assert states(at, old) == GONE
    assert at.rows(
        f"select bool_and(last_error like 'removed on 20%') from documents where assessment_id = '{old}'"
    ) == [(True,)]
    assert not any(file.exists() for file in of_old)
    assert all(file.exists() for file in of_young)
    told = json.loads(CommandLine(at.path, at.environ())("status", "--json").stdout)["documents"]
    assert [(told["stored"], told["later_versions"])] == at.rows(
        "select count(*) filter (is_latest), count(*) filter (version > 1) from documents where state = 'stored'"
    )
    assert at.rows(f"select * from documents where assessment_id <> '{old}' order by all") == others
    for table in ("bundle_members", "document_text", "bundle_actions", "bundle_controls", "bundle_elements"):
        left = (
            f"select count(*) from {table} where document_sha256 in (select sha256 from documents where path is null)"
        )
        assert at.rows(left) == [(0,)], table

    found = verify(at.settings(archive_keep_years=7), policy=QUICK)
    assert (found.exit_code, found.lost, found.orphans_left) == (0, 0, 0)
    assert at.archive(archive_keep_years=7).counts["removed"] == 0
    for key, years in ((old, -7.1), (young, -6.9)):
        shift(at, key, years)  # as landing has it
    at.night(delete_limit=1)
    before = at.rows("select * exclude (verified_at) from documents order by all")
    assert at.rebuild().exit_code == 0
    assert at.rows("select * exclude (verified_at) from documents order by all") == before


@pytest.mark.release
def test_a_file_that_a_living_assessment_has_too_stays(at: Place) -> None:
    old = deleted(at, 0, 9)
    of_report = f"select path, sha256, size_bytes from documents where assessment_id = '{old}' and kind = 'report'"
    path, sha256, size = at.rows(of_report)[0]
    living = at.wanted()[0]
    at.in_state(
        f"update documents set path = '{path}', sha256 = '{sha256}', size_bytes = {size} "
        f"where assessment_id = '{living}' and kind = 'report'"
    )
    assert at.archive(archive_keep_years=7).counts["removed"] == 1
    assert (at.path / path).exists()
    assert [state for _, state, *_ in states(at, old)] == ["removed", "stored"]


def test_a_held_delete_keeps_its_documents(at: Place) -> None:
    old = deleted(at, 0, 9)
    at.in_state(
        "insert into ops.held_deletes (resource, record_id, reason, run_id, key_1, key_2) "
        f"values ('assessments', '{old}', 'too many', 'x', '{old}', '')"
    )
    assert at.archive(archive_keep_years=7).counts["removed"] == 0


def test_no_document_goes_in_the_first_night_after_a_long_gap(at: Place, caplog: pytest.LogCaptureFixture) -> None:
    """The clock may be years ahead."""
    deleted(at, 0, 9)
    at.in_state("update ops.runs set started_at = started_at - to_days(400), ended_at = ended_at - to_days(400)")
    at.night(archive_keep_years=7)
    assert "the run before was 400 days ago. In case the clock is wrong, no document goes" in caplog.text
    assert at.rows("select count(*) from documents where state = 'removed'") == [(0,)]
    at.in_state("update ops.runs set started_at = started_at - to_days(1) where started_at > now() - to_days(1)")
    assert at.archive(archive_keep_years=7).counts["removed"] == 2


def test_documents_go_although_no_kind_is_fetched_any_more(at: Place) -> None:
    old = deleted(at, 0, 9)
    report = at.night(archive_keep_years=7, archive_kinds="none")
    assert report.documents
    assert report.documents["removed"] == 2
    assert states(at, old) == GONE


@pytest.mark.release
def test_an_assessment_that_comes_back_gets_its_documents_again(at: Place) -> None:
    key = at.wanted()[0]
    assert deleted(at, 0, 9) == key
    at.archive(archive_keep_years=7)
    at.sandbox.world.assessments.bring_back(key)
    at.night(delete_limit=1)
    at.archive(archive_keep_years=7)
    found = at.rows(f"select version, is_latest, state from documents where assessment_id = '{key}' order by all")
    assert found == [(1, False, "removed")] * 2 + [(2, True, "stored")] * 2
    assert at.differing({(key, "report"), (key, "bundle")}) == set()


@pytest.mark.release
def test_a_kill_before_the_files_go_leaves_them_to_the_next_run(at: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    old = deleted(at, 0, 9)
    of_old = files(at, old)

    def killed(self: Blobs, key: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Blobs, "remove", killed)
        with pytest.raises(KeyboardInterrupt):
            at.archive(archive_keep_years=7)
    assert states(at, old) == GONE
    assert all(file.exists() for file in of_old)
    at.archive(archive_keep_years=7)
    assert not any(file.exists() for file in of_old)
