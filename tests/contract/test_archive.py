"""The archive has the documents of the server, byte for byte, and propsync fetches each no more often than it must."""

from __future__ import annotations

import errno
import io
import json
import shutil
import threading
import time
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.archives import Place, noted, place
from kit.home import QUICK, Rows
from variants import daily

from propsync.documents import contents
from propsync.documents.zips.bundle import Bundle
from propsync.errors import Busy, HomeUnusable, PropsyncError, StateUnusable, TokenRefused, UsageError
from propsync.runbooks import ArchiveReport, Report, archive
from propsync.runbooks.doctor.home import examine_archive
from propsync.runs import RunLock
from propsync_sandbox.documents import Subject, report

DOCUMENTS = "select * exclude (read_at) from documents order by all"


@pytest.fixture
def new(synced: Path, tmp_path: Path) -> Iterator[Place]:
    """Synced, nothing archived."""
    with place(tmp_path / "home", synced) as made:
        yield made


@pytest.fixture
def old(archived: Path, tmp_path: Path) -> Iterator[Place]:
    """Synced and archived."""
    with place(tmp_path / "home", archived) as made:
        yield made


def versions(made: Place, key: str, kind: str) -> Rows:
    return made.rows(
        f"select version, is_latest, state, same_text_as is not null from documents "
        f"where assessment_id = '{key}' and kind = '{kind}' order by version"
    )


# What comes


@pytest.mark.slow
def test_every_document_is_what_the_server_has_and_a_second_run_asks_for_none(new: Place) -> None:
    told = new.archive()
    assert (told.exit_code, told.ended, told.lacking) == (0, None, 0)
    assert told.counts["stored"] == len(new.pairs())
    assert set(new.stored()) == new.pairs()
    assert new.differing() == set()
    assert new.asked() == dict.fromkeys(new.pairs(), 1)
    assert noted(new.path) == set()

    again = new.archive()
    assert (again.exit_code, again.counts.total(), again.published) == (0, 0, None)
    assert not new.asked()


@pytest.mark.slow
def test_documents_are_published_with_their_tables(new: Place) -> None:
    told = new.archive()
    assert told.published is not None
    assert new.rows("select count(*) from documents where state = 'stored'") == [(len(new.pairs()),)]
    assert new.rows("from marts.document_coverage") == []
    records = {key: new.sandbox.world.assessments.get(key) for key in new.wanted()}
    with_actions = {key for key, one in records.items() if one and one.members(with_flags=False)["actionCount"]}
    assert set(new.column("select distinct assessment_id from bundle_actions")) == with_actions != set()
    assert (new.path / "published" / "parquet" / "main" / "documents.parquet").exists()


@pytest.mark.slow
def test_an_archive_that_is_gone_from_the_api_is_told(old: Place) -> None:
    """Each 404 alone is a missing document, as a few may well be; all of them together are not."""
    line = "the API has none of the {} documents that propsync requested"
    documents = old.stored()
    old.days_pass(400)
    old.fail(kind="status", status=404)
    told = old.archive(limit=5)
    assert (told.exit_code, told.counts["missing"]) == (0, 5)
    told = old.archive()
    assert (told.exit_code, told.counts["missing"] > 20) == (3, True)
    assert told.left_behind[0].startswith(line.format(told.counts["missing"]))
    assert old.stored() == documents
    old.sandbox.set_faults([])
    old.days_pass(2)
    assert old.archive().exit_code == 0


@pytest.mark.slow
def test_documents_that_are_gone_for_good_are_no_news_each_night(old: Place) -> None:
    """propsync asks for them each night, and on a quiet night for them alone. The API still has others."""
    gone = "|".join(old.wanted()[:15])
    old.days_pass(400)
    old.fail(path=rf".*({gone})/.*", kind="status", status=404)
    told = old.archive()
    assert (told.exit_code, told.counts["missing"], told.counts["same"] > 0) == (0, 30, True)
    old.days_pass(2)
    told = old.archive()
    assert (told.exit_code, told.counts["missing"], told.counts["same"]) == (0, 30, 5)
    old.fail(kind="status", status=404)
    old.days_pass(2)
    told = old.archive()
    assert (told.exit_code, told.counts["missing"]) == (3, 35)


def test_an_api_that_never_had_a_document_is_worth_a_warning(new: Place, caplog: pytest.LogCaptureFixture) -> None:
    """Some services make no reports, and each night is as right as the last."""
    new.fail(kind="status", status=404)
    told = new.archive()
    assert (told.exit_code, told.counts["missing"] > 20) == (0, True)
    assert (
        f"the API has none of the {told.counts['missing']} documents that propsync requested, and never" in caplog.text
    )


@pytest.mark.slow
def test_edited_assessments_alone_get_a_second_version_and_the_first_one_stays(old: Place) -> None:
    keys = old.wanted()[3:6]
    before = {(key, kind): old.truth(key, kind) for key in keys for kind in ("report", "bundle")}
    old.edit(*keys)
    old.sync()
    told = old.archive()
    assert told.counts["stored"] == len(before)
    assert old.asked() == dict.fromkeys(before, 1)
    assert old.differing() == set()
    kept = old.rows("select assessment_id, kind, path from documents where not is_latest")
    assert {(key, kind): (old.path / path).read_bytes() for key, kind, path in kept} == before
    assert {tuple(versions(old, *pair)) for pair in before} == {
        ((1, False, "stored", False), (2, True, "stored", False))
    }


@pytest.mark.slow
def test_a_clock_that_was_ahead_puts_no_document_off(old: Place, caplog: pytest.LogCaptureFixture) -> None:
    old.days_pass(-400)
    old.edit(*old.wanted()[:1])
    old.sync()
    told = old.archive()
    assert (told.exit_code, told.counts["stored"], old.differing()) == (0, 2, set())
    assert old.asked() == dict.fromkeys(old.pairs(), 1)
    assert "the clock was ahead when propsync asked for" in caplog.text
    old.archive()
    assert not old.asked()


@pytest.mark.release
def test_a_document_that_went_back_to_what_it_was_is_a_version_of_its_own(archived: Path, tmp_path: Path) -> None:
    def bundle_back_and_forth(about: Subject) -> bytes:
        return zipped({"actions.csv": f"id\n{about.record.version % 2}\n"})

    with place(tmp_path / "home", archived, {"bundle": bundle_back_and_forth}) as made:
        key = made.wanted()[0]
        for _ in range(3):
            made.edit(key)
            made.sync()
            made.archive()
        assert [row[:2] for row in versions(made, key, "bundle")] == [(1, False), (2, False), (3, False), (4, True)]
        hashes = made.rows(
            f"select sha256 from documents where assessment_id = '{key}' and kind = 'bundle' and version > 1"
        )
        assert len(set(hashes)) == 2
        assert made.differing({(key, "bundle")}) == set()
        version = made.sandbox.world.assessments.get(key).version
        assert made.rows(f"select id from bundle_actions where assessment_id = '{key}'") == [(str(version % 2),)]


def zipped(members: dict[str, str | bytes], *twins: tuple[str, bytes]) -> bytes:
    """A ZIP of these members, then of `twins`, which may have names of others."""
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as folder:
        warnings.simplefilter("ignore", UserWarning)
        for name, content in (*members.items(), *twins):
            folder.writestr(zipfile.ZipInfo(name, (2026, 3, 2, 6, 0, 0)), content)
    return packed.getvalue()


# Versions that differ in bytes alone


class OtherDate:
    """Writes a report as it was when first seen, with another creation date each time."""

    def __init__(self) -> None:
        self.first: dict[str, Subject] = {}

    def __call__(self, about: Subject) -> bytes:
        first = self.first.setdefault(str(about.record.key), about)
        return report(first).replace(b"D:20260302", b"D:2026%04d" % (about.record.version + 300))


@pytest.mark.release
def test_a_version_that_differs_in_bytes_alone_names_the_one_it_repeats(synced: Path, tmp_path: Path) -> None:
    dated = OtherDate()

    def bundled(about: Subject) -> bytes:
        return zipped({"report.pdf": dated(about), "actions.csv": "id\n1\n"})

    with place(tmp_path / "home", synced, {"report": dated, "bundle": bundled}) as made:
        key = made.wanted()[0]
        for _ in range(3):
            made.archive()
            made.edit(key)
            made.sync()
        for kind in ("report", "bundle"):
            hashes = made.rows(
                f"select sha256, same_text_as from documents where assessment_id = '{key}' and kind = '{kind}' "
                "order by version"
            )
            first = hashes[0][0]
            assert len({sha256 for sha256, _ in hashes}) == 3
            assert [same for _, same in hashes] == [None, first, first]
        assert not list((tmp_path / "home" / "archive" / "partial").iterdir())


@pytest.mark.release
def test_a_version_that_says_something_else_names_none(old: Place) -> None:
    key = old.wanted()[0]
    old.sandbox.world.assessments.set_members(key, summary="Something else altogether")
    old.sync()
    old.archive()
    for kind in ("report", "bundle"):
        assert [row[3] for row in versions(old, key, kind)] == [False, False]


# What stays


@pytest.mark.release
def test_a_deleted_assessment_keeps_its_rows_and_files(old: Place) -> None:
    key = old.wanted()[0]
    before = old.rows(f"from documents where assessment_id = '{key}' order by kind")
    members = old.rows("select count(*) from bundle_members")
    old.sandbox.world.assessments.delete(key)
    old.night()
    assert old.rows(f"select count(*) from assessments where assessment_id = '{key}'") == [(0,)]
    assert old.rows(f"from documents where assessment_id = '{key}' order by kind") == before
    assert old.rows("select count(*) from bundle_members") == members
    assert old.rows(f"select count(*) > 0 from bundle_actions where assessment_id = '{key}'") == [(True,)]
    assert [entry.status for entry in probes(old)] == [404]  # the sync made sure that it is gone
    assert old.rows("from marts.document_coverage") == []


def probes(made: Place) -> list[Any]:
    return [entry for entry in made.sandbox.journal.entries() if entry.path.endswith((".pdf", ".zip"))]


@pytest.mark.release
def test_a_rebuild_keeps_documents_and_what_they_hold_row_for_row(old: Place) -> None:
    old.edit(*old.wanted()[:2])
    old.sync()
    old.archive(archive_text="true")
    names = ("documents", "bundle_members", "bundle_actions", "bundle_controls", "bundle_elements", "document_text")
    before = {name: old.rows(f"from {name} order by all") for name in names}
    assert all(before.values())
    old.rebuild()
    assert {name: old.rows(f"from {name} order by all") for name in names} == before
    old.asked()
    assert old.archive().counts.total() == 0
    assert not old.asked()


@pytest.mark.slow
def test_a_rebuild_that_finds_no_rows_of_the_documents_says_so(old: Place) -> None:
    assert old.stored()
    old.state.unlink()
    shutil.rmtree(old.path / "published")
    report = old.rebuild()
    (line,) = report.left_behind
    assert line.startswith("documents: the rows of those in archive/ are lost")
    assert report.exit_code == 3
    assert not old.stored()


@pytest.mark.slow
def test_a_rebuild_that_cannot_write_the_rows_of_documents_beside_loses_none(old: Place) -> None:
    """It took its own failure to write for damage of both databases, and continued without their rows."""
    before = old.rows("from documents order by all")
    in_the_way = old.path / "state" / "work" / "main.documents.parquet.partial"
    in_the_way.mkdir(parents=True)
    with pytest.raises(HomeUnusable, match=r"state/work: cannot be written: .*main\.documents\.parquet"):
        old.rebuild()
    in_the_way.rmdir()
    assert old.rebuild().left_behind == []
    assert old.rows("from documents order by all") == before


@pytest.mark.slow
def test_text_is_read_also_of_reports_archived_before_it_was_wanted(old: Place) -> None:
    assert old.rows("select count(*) from document_text") == [(0,)]
    told = old.archive(archive_text="true")
    assert (told.exit_code, old.asked()) == (0, {})
    pages = "select count(distinct document_sha256), min(page_number) from document_text"
    assert old.rows(pages) == [(len(old.wanted()), 1)]
    key = old.wanted()[0]
    of_report = "from document_text join documents on sha256 = document_sha256"
    first = f"select string_agg(text, ' ') {of_report} where assessment_id = '{key}'"
    assert key in old.rows(first)[0][0]


@pytest.mark.slow
def test_text_of_a_report_that_the_disk_does_not_give_is_read_when_it_does(old: Place) -> None:
    """It counted as a report without text, for good: no later run read it, nor said so."""
    failing, altered, *_ = (old.path / path for path in old.column("select path from documents where kind = 'report'"))
    before = [failing.read_bytes(), altered.read_bytes()]
    failing.unlink()
    failing.symlink_to("/proc/self/mem")  # whose first byte is an Input/output error
    altered.write_bytes(b"%PDF-1.7, and the rest is gone")
    told = archive(old.settings(archive_text="true"), policy=old.policy)
    pages = "select count(distinct document_sha256) from document_text"
    assert (told.exit_code, old.rows(pages)) == (3, [(len(old.wanted()) - 2,)])
    assert told.left_behind[0].startswith("the tables lack the contents of 2 stored documents (such as archive/blobs/")
    assert told.left_behind[0].endswith("Run `propsync archive verify`")
    failing.unlink()
    for path, body in zip((failing, altered), before, strict=True):
        path.write_bytes(body)
    assert old.archive(archive_text="true").exit_code == 0
    assert old.rows(pages) == [(len(old.wanted()),)]


@pytest.mark.slow
def test_a_bundle_that_the_disk_does_not_give_keeps_no_other_from_the_tables(
    old: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that died before it read them left them. Each later one, `archive verify` too, then ended there."""
    counts = "select count(*), count(read_at) from documents where kind = 'bundle'"
    rows = [old.rows(f"from bundle_{table} order by all") for table in ("actions", "controls", "elements")]
    (count, _), *_ = old.rows(counts)
    old.in_state("update documents set read_at = null where kind = 'bundle'")
    failing, *_ = old.column("select path from documents where kind = 'bundle'")
    plainly = contents.csv_tables

    def csv_tables(path: Path, bundle: Bundle) -> Any:
        if path == old.path / failing:
            raise OSError(errno.EIO, "Input/output error")
        return plainly(path, bundle)

    with monkeypatch.context() as patch:
        patch.setattr(contents, "csv_tables", csv_tables)
        told = old.archive()
    assert told.left_behind == [
        f"the tables lack the contents of 1 stored document ({failing}: it cannot be read: Input/output error). "
        "Run `propsync archive verify`"
    ]
    assert old.rows(counts) == [(count, count - 1)]
    assert old.archive().exit_code == 0
    assert old.rows(counts) == [(count, count)]
    assert [old.rows(f"from bundle_{table} order by all") for table in ("actions", "controls", "elements")] == rows


@pytest.mark.release
def test_rows_of_bundles_are_those_of_the_latest_version_also_of_two_that_are_alike(
    synced: Path, tmp_path: Path
) -> None:
    def alike(about: Subject) -> bytes:
        rows = "one,two\r\n1,2\r\n3,4\r\n" if about.record.version == 1 else "one,three\r\n5,6\r\n"
        return zipped({"actions.csv": rows, "elements.csv": "id\r\n" if about.record.version == 1 else "id\r\n9\r\n"})

    with place(tmp_path / "home", synced, {"bundle": alike}) as made:
        first, second, *_ = keys = made.wanted()
        made.archive(kinds=["bundle"], properties=[made.sandbox.world.assessments.get(first).property])
        made.archive()
        assert len(set(made.rows("select sha256 from documents where kind = 'bundle'"))) == 1
        assert made.rows("select count(*) from bundle_actions") == [(2 * len(keys),)]
        made.edit(first)
        made.sync()
        made.archive()
        made.edit(second)
        made.sync()
        made.archive()
        rows = "select one, two, three from bundle_actions where assessment_id = '{}' order by row_number"
        for key in (first, second):
            assert made.rows(rows.format(key)) == [("5", None, "6")]
        assert made.rows(rows.format(keys[2])) == [("1", "2", None), ("3", "4", None)]
        assert made.rows("select count(*) from bundle_elements") == [(2,)]


@pytest.mark.release
def test_bundles_alike_that_a_killed_run_left_unread_are_all_read(synced: Path, tmp_path: Path) -> None:
    with place(tmp_path / "home", synced, {"bundle": lambda _: zipped({"actions.csv": "id\n1\n"})}) as made:
        for _ in range(60):
            made.sandbox.world.assessments.add(status="approved", performed=("For",))
        made.sync()
        made.archive(kinds=["bundle"])
        made.in_state("update documents set read_at = null; delete from bundle_actions")
        made.archive(kinds=["bundle"])
        assert made.rows("select count(distinct assessment_id) from bundle_actions") == [(len(made.wanted()),)]


# What is asked for


@pytest.mark.release
def test_lost_files_keep_none_behind_them_from_being_read(synced: Path, tmp_path: Path) -> None:
    writers = {"bundle": lambda subject: zipped({"actions.csv": f"id\n{subject.record.key}\n"})}
    with place(tmp_path / "home", synced, writers) as made:
        for _ in range(60):
            made.sandbox.world.assessments.add(status="approved", performed=("For",))
        made.sync()
        made.archive(kinds=["bundle"])
        paths = made.rows("select path from documents order by assessment_id")
        for (path,) in paths[:55]:
            (made.path / path).unlink()
        made.in_state("update documents set read_at = null; delete from bundle_actions")
        told = archive(made.settings(), policy=QUICK)
        assert told.exit_code == 3
        assert made.rows("select count(*) from bundle_actions") == [(len(paths) - 55,)]
        assert archive(made.settings(), policy=QUICK).left_behind == told.left_behind


@pytest.mark.release
@pytest.mark.parametrize("kind", ["report", "bundle"])
def test_a_kind_is_asked_for_alone_and_the_other_is_still_told_to_be_lacking(new: Place, kind: str) -> None:
    new.archive(kinds=[kind])
    assert new.asked() == dict.fromkeys(new.pairs(kind), 1)
    other = {"report": "bundle", "bundle": "report"}[kind]
    assert set(new.rows("select assessment_id, kind from marts.document_coverage")) == new.pairs(other)
    new.archive()
    assert new.asked() == dict.fromkeys(new.pairs(other), 1)


@pytest.mark.slow
def test_documents_of_properties_are_asked_for_alone(new: Place) -> None:
    shelf = new.sandbox.world.assessments
    chosen = sorted({shelf.get(key).property for key in new.wanted()})[:2]
    new.archive(properties=chosen)
    assert new.asked() == dict.fromkeys({one for one in new.pairs() if shelf.get(one[0]).property in chosen}, 1)


@pytest.mark.slow
@pytest.mark.parametrize("given", ["nope", ""])
def test_an_id_of_no_property_is_refused(new: Place, given: str) -> None:
    """Nothing would be wanted, and the run would say that every document is stored."""
    with pytest.raises(UsageError, match=f"propsync knows no property {given or repr(given)}") as caught:
        new.archive(properties=[given])
    assert caught.value.exit_code == 2
    assert not new.asked()


@pytest.mark.slow
def test_no_kind_asks_for_nothing(new: Place) -> None:
    new.archive(archive_kinds="none")
    assert new.night(archive_kinds="none").documents is None
    assert not new.asked()


@pytest.mark.slow
def test_statuses_that_are_set_are_asked_for(new: Place) -> None:
    new.archive(archive_statuses="inprogress")
    assert {key for key, _ in new.asked()} == set(new.wanted("inprogress")) != set()


@pytest.mark.slow
def test_a_status_that_no_assessment_has_is_told(new: Place, caplog: pytest.LogCaptureFixture) -> None:
    new.archive(archive_statuses="aproved,InProgress")
    assert [one.message for one in caplog.records if "no assessment has the status" in one.message] == [
        "no assessment has the status aproved (PROPSYNC_ARCHIVE_STATUSES), so nothing of it is archived. "
        "Correct its spelling, or keep it if assessments may have it later"
    ]


@pytest.mark.release
def test_a_limit_ends_a_run_well(new: Place) -> None:
    told = new.archive(limit=5)
    assert told.exit_code == 0
    assert told.ended == "the limit of 5 documents is reached"
    assert told.counts["stored"] == 5
    assert told.lacking == len(new.pairs()) - 5
    assert new.asked().total() == 5


@pytest.mark.slow
def test_a_budget_of_bytes_ends_a_run_well(new: Place) -> None:
    told = new.archive(archive_max_gb="2e-5", max_concurrency=1)
    assert (told.exit_code, told.ended) == (0, "this run's 2e-05 GB limit is reached (PROPSYNC_ARCHIVE_MAX_GB)")
    assert 20_000 <= told.counts["bytes"] < 60_000
    assert new.asked().total() == told.counts["stored"]


@pytest.mark.release
def test_bodies_that_break_off_count_for_the_budget_of_bytes(new: Place) -> None:
    size = sum(len(new.truth(*pair)) for pair in new.pairs())
    new.fail(kind="cut_body", fraction=0.9)
    told = new.archive(archive_max_gb=size / 1e9, max_concurrency=1)
    assert (told.counts["stored"], told.ended) == (
        0,
        f"this run's {size / 1e9:g} GB limit is reached (PROPSYNC_ARCHIVE_MAX_GB)",
    )
    assert sum(new.asked().values()) < 3 * len(new.pairs())


def test_a_budget_of_minutes_ends_a_run_well_and_what_is_lacking_is_published(new: Place) -> None:
    told = new.archive(archive_max_minutes="1e-9")
    assert told.exit_code == 0
    assert "minutes are used up" in str(told.ended)
    assert not new.asked()
    assert new.rows("select distinct reason, count(*) from marts.document_coverage group by all") == [
        ("not asked for yet", len(new.pairs()))
    ]


def test_a_disk_that_fills_ends_a_run_and_somebody_must_make_room(new: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    class Disk:
        total, free = 10**12, 99 * 10**9

    monkeypatch.setattr("shutil.disk_usage", lambda _: Disk)
    told = new.archive()
    assert (told.exit_code, told.ended) == (3, "less than 10 % of the disk is free (99.0 GB)")
    assert told.left_behind == [f"{told.ended}, and documents wait. Make room, then run `propsync archive`"]
    assert not new.asked()


def order(made: Place) -> list[str]:
    """The assessments in the order that their documents were asked for, each once."""
    return list(dict.fromkeys(key for key, _ in made.asked()))


@pytest.mark.release
def test_the_newest_goes_first_then_the_oldest_debt(new: Place) -> None:
    """Each night brings new assessments while only some of the first lot fits in."""
    backlog = new.wanted()
    done: list[str] = []
    for _ in range(3):
        fresh = [new.sandbox.world.assessments.add(status="approved", performed=("For",)) for _ in range(2)]
        new.sync()
        new.asked()
        new.archive(limit=8, max_concurrency=1)
        found = order(new)
        assert set(found[:2]) == set(fresh)
        assert set(found[2:]) <= {*backlog} - {*done}
        assert len(found) == 4
        done += found


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("by_hand", daily([{"properties": True}, {"limit": 1}, {"kinds": ["report"], "limit": 3}], 1))
def test_what_is_new_is_not_put_behind_the_backlog_by_a_run_by_hand(new: Place, by_hand: dict[str, Any]) -> None:
    new.archive(limit=4)
    fresh = {new.sandbox.world.assessments.add(status="approved", performed=("For",)) for _ in range(3)}
    new.sync()
    if by_hand.get("properties"):
        old_one = next(key for key in new.wanted() if key not in fresh)
        by_hand = {"properties": [new.sandbox.world.assessments.get(old_one).property]}
    new.asked()
    new.archive(**by_hand)
    first = new.asked()
    new.archive(limit=6 - sum(first[key, kind] for key in fresh for kind in ("report", "bundle")), max_concurrency=1)
    asked = first + new.asked()
    assert fresh <= {key for key, _ in asked}
    assert all(asked[key, kind] == 1 for key in fresh for kind in ("report", "bundle"))


@pytest.mark.release
def test_what_a_sync_finds_while_an_archive_run_ends_is_new_for_the_next_one(new: Place) -> None:
    new.archive(limit=2)
    new.asked()
    new.fail(kind="delay", seconds=0.4)
    ending = Beside(lambda: new.archive(limit=6, max_concurrency=1))
    wait_for_requests(new)
    fresh = new.sandbox.world.assessments.add(status="approved", performed=("For",))
    new.sync()
    ending.result()
    new.sandbox.set_faults([])
    new.asked()
    new.archive(limit=2)
    assert order(new) == [fresh]


# Runs beside each other


class Beside:
    """Something done in a thread; `result` raises what it raised."""

    def __init__(self, work: Any) -> None:
        self._outcome: Any = None
        self._thread = threading.Thread(target=self._do, args=(work,))
        self._thread.start()

    def _do(self, work: Any) -> None:
        try:
            self._outcome = work()
        except PropsyncError as error:
            self._outcome = error

    def result(self) -> Any:
        self._thread.join(60)
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


def wait_for_requests(made: Place, number: int = 1) -> None:
    while sum(entry.path.endswith((".pdf", ".zip")) for entry in made.sandbox.journal.entries()) < number:
        time.sleep(0.01)


@pytest.mark.release
def test_of_two_archive_runs_at_once_the_second_asks_for_nothing(new: Place) -> None:
    new.fail(kind="delay", seconds=0.05)
    first = Beside(new.archive)
    wait_for_requests(new)
    with pytest.raises(Busy) as busy:
        new.archive()
    assert busy.value.exit_code == 4
    told: ArchiveReport = first.result()
    assert told.counts["stored"] == len(new.pairs())
    assert new.asked() == dict.fromkeys(new.pairs(), 1)


@pytest.mark.release
def test_a_sync_beside_a_long_archive_run_is_not_kept_waiting_and_leaves_the_documents_to_it(new: Place) -> None:
    began = time.monotonic()
    new.sync()
    usual = time.monotonic() - began
    new.fail(kind="delay", seconds=0.5)
    first = Beside(lambda: new.archive(max_concurrency=2))  # 42 documents, two at once: ten seconds
    wait_for_requests(new)
    new.edit(new.wanted()[0])
    began = time.monotonic()
    told = new.night()
    assert time.monotonic() - began < 3 * usual + 2
    assert (told.exit_code, told.documents) == (0, None)
    assert first._thread.is_alive()
    new.sandbox.set_faults([])
    assert first.result().exit_code == 0
    new.sync()
    new.archive()
    assert new.differing() == set()


@pytest.mark.release
@pytest.mark.parametrize(("holder", "exit_code"), [("propsync archive", 0), ("propsync archive verify", 3)])
def test_a_night_beside_a_run_that_fetches_no_documents_says_so(new: Place, holder: str, exit_code: int) -> None:
    with RunLock(new.path / "archive" / "archive.lock").held(holder, 0):
        told = new.night()
    assert told.exit_code == exit_code
    named = [line for line in told.left_behind if holder in line and "Run `propsync archive` when" in line]
    assert bool(named) == (exit_code == 3)
    assert told.documents is None
    assert not new.asked()


def kept_from_the_tables(made: Place) -> Report:
    """A night whose documents came, while another run had the tables for longer than it waits."""
    made.sync()
    made.fail(kind="delay", seconds=0.3)
    running = Beside(lambda: made.night(lock_wait=1, max_concurrency=2))
    wait_for_requests(made)
    with RunLock(made.path / "state" / "run.lock").held("a backfill", 30):
        made.sandbox.set_faults([])
        told: Report = running.result()
    made.asked()
    return told


@pytest.mark.release
def test_a_night_that_waits_too_long_for_the_tables_says_so_and_loses_nothing(new: Place) -> None:
    told = kept_from_the_tables(new)
    assert told.exit_code == 3
    assert [line for line in told.left_behind if "run lock took too long" in line and "a backfill" in line]
    assert noted(new.path)
    new.archive()
    assert not new.asked()
    assert new.differing() == set()


@pytest.mark.release
def test_what_was_noted_and_whose_file_a_power_cut_took_is_asked_for_again(new: Place) -> None:
    kept_from_the_tables(new)
    lines = (new.path / "archive" / "taken.jsonl").read_bytes().split(b"\n")
    lost = [json.loads(line) for line in lines if line][:3]
    for one in lost:
        (new.path / one["path"]).unlink()
    new.archive()
    assert set(new.asked()) == {(one["assessment_id"], one["kind"]) for one in lost}
    assert new.differing() == set()


# What ends it


@pytest.mark.slow
def test_a_token_refused_midway_keeps_what_came(synced: Path, tmp_path: Path) -> None:
    with place(tmp_path / "home", synced) as made:
        made.fail(".*", after=10, kind="status", status=401)
        with pytest.raises(TokenRefused) as refused:
            made.archive(max_concurrency=1)
        assert refused.value.exit_code == 1
        came = set(made.stored())
        assert 8 <= len(came) <= 10
        assert made.differing(came) == set()
        assert made.rows("select count(*) from documents where state <> 'stored'") == [(0,)]
        made.asked()
        made.sandbox.set_faults([])
        made.archive()
        asked = made.asked()
        assert not came & set(asked)
        assert made.differing() == set()


@pytest.mark.release
def test_what_came_beside_the_request_that_ended_it_is_kept_and_not_fetched_again(new: Place) -> None:
    new.fail(".*", after=25, kind="status", status=401)
    with pytest.raises(TokenRefused):
        new.archive()
    kept = set(new.stored())
    assert len([*(new.path / "archive" / "blobs").rglob("*.*")]) == len(kept) > 15
    new.sandbox.set_faults([])
    new.asked()
    new.archive()
    assert not kept & set(new.asked())


@pytest.mark.slow
@pytest.mark.parametrize("status", [401, 403])
def test_a_document_that_the_token_may_not_have_keeps_no_other_from_coming(new: Place, status: int) -> None:
    key = sorted(new.wanted())[3]
    new.fail(rf".*{key}/report\.pdf", kind="status", status=status)
    told = new.archive(["report"], max_concurrency=1)
    assert (told.exit_code, told.counts["failed"]) == (3, 1)
    assert told.left_behind == ["1 document failed; marts.document_coverage shows why"]
    assert new.differing(new.pairs("report")) == {(key, "report")}
    ((error,),) = new.rows("select last_error from marts.document_coverage where reason = 'failed'")
    assert str(status) in error
    new.days_pass(1)
    new.sandbox.set_faults([])
    assert new.archive(["report"]).exit_code == 0
    assert new.differing(new.pairs("report")) == set()


@pytest.mark.release
def test_a_token_refused_for_documents_alone_leaves_the_tables_published(synced: Path, tmp_path: Path) -> None:
    with place(tmp_path / "home", synced) as made:
        made.fail(after=10, kind="status", status=401)
        made.edit(made.wanted()[0])
        told = made.night()
        assert (told.exit_code, told.status) == (3, "attention")
        assert told.published is not None
        assert [
            line for line in told.left_behind if line.endswith("documents failed; marts.document_coverage shows why")
        ]
        assert made.rows("select count(*) > 0 from marts.document_coverage where last_error like '%401%'") == [(True,)]
        assert made.stored()


def test_a_setting_that_stops_documents_alone_leaves_the_tables_published(new: Place) -> None:
    """Not exit 2, which says that propsync did nothing."""
    told = new.night(archive_dask="tcp://127.0.0.1:8786")
    assert (told.exit_code, told.published is not None) == (3, True)
    (line,) = told.left_behind
    assert line.startswith("documents: PROPSYNC_ARCHIVE_DASK")
    assert "PROPSYNC_STORAGE_URL is not set" in line
    findings = [one for one in examine_archive(new.settings(archive_dask="tcp://127.0.0.1:8786")) if not one.is_well]
    assert [one.next_step for one in findings] == ["Set it (docs/object-storage.md), or leave Dask out"]


@pytest.mark.release
def test_an_api_out_of_reach_midway_keeps_what_came_and_publishes_it(new: Place) -> None:
    new.fail(kind="delay", seconds=0.02)
    run = Beside(lambda: new.archive(max_concurrency=2))
    wait_for_requests(new, 12)
    asked = new.asked()
    new.sandbox.stop()
    told: ArchiveReport = run.result()
    assert (told.exit_code, told.status) == (3, "attention")
    assert "no connection" in str(told.ended)
    assert told.published is not None
    stored = set(new.stored())
    assert 8 <= len(stored) < len(new.pairs())
    assert {pair for pair in asked if pair not in stored} <= set(
        new.rows("select assessment_id, kind from marts.document_coverage")
    )
    assert new.differing(stored) == set()


@pytest.mark.release
def test_a_home_that_was_never_synced_is_not_published_empty(tmp_path: Path) -> None:
    with place(tmp_path / "home") as made:
        with pytest.raises(UsageError, match="propsync sync"):
            made.archive()
        assert not (made.path / "published" / "warehouse.duckdb").exists()
        made.sync()
        made.archive()
        assert made.differing() == set()


@pytest.mark.release
def test_where_the_state_is_lost_nothing_is_published_in_its_place(old: Place) -> None:
    before = old.rows(DOCUMENTS)
    (old.path / "state" / "warehouse.duckdb").unlink()
    with pytest.raises(StateUnusable):
        old.archive()
    with pytest.raises(StateUnusable, match="documents of earlier runs are kept"):
        old.sync()
    assert old.rows(DOCUMENTS) == before
    old.rebuild()
    assert old.rows(DOCUMENTS) == before
