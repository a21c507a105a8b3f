"""If a fetch goes wrong, propsync stores nothing bad and keeps the good; a later run completes."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kit.archives import SMALL, Place, place
from variants import daily

from propsync.errors import DiskFull
from propsync_sandbox.documents import ETAGS, Subject, report

PASSING: dict[str, dict[str, Any]] = {
    "cut bodies": {"kind": "cut_body", "fraction": 0.6},
    "cut chunks": {"kind": "cut_chunked", "fraction": 0.6},
    "resets": {"kind": "reset", "where": "before"},
    "resets within bodies": {"kind": "reset", "where": "body", "fraction": 0.9},
    "pages of HTML": {"kind": "wrong_content", "content": "html"},
    "halves that look whole": {"kind": "wrong_content", "content": "truncated_json"},
    "server errors": {"kind": "status", "status": 500},
    "a 429 storm": {"kind": "status", "status": 429},
    "refusals": {"kind": "status", "status": 400, "code": "AssessmentInvalid"},
}


@pytest.fixture
def new(synced_small: Path, tmp_path: Path) -> Iterator[Place]:
    """Synced, nothing archived."""
    with place(tmp_path / "home", synced_small, scale=SMALL) as made:
        yield made


def long_report(about: Subject) -> bytes:
    """Long enough for a break to leave more than is asked for twice: with a comment that no compression shortens."""
    return lengthened(report(about), about.dice("noise"))


def lengthened(body: bytes, dice: Random) -> bytes:
    """The same PDF with a long comment before its table of objects."""
    table = int(body.rsplit(b"startxref", 1)[1].split()[0])
    noise = b"%" + dice.randbytes(10_000).hex().encode() + b"\n"
    end = body[table:].replace(b"startxref\n%d" % table, b"startxref\n%d" % (table + len(noise)))
    return body[:table] + noise + end


def completes(made: Place, *, later: int = 4) -> None:
    """All goes well again: runs on the days that follow fetch what is lacking, and only that."""
    made.sandbox.set_faults([])
    kept = made.pairs() - made.differing()
    made.asked()
    for _ in range(later):
        if made.differing():
            made.days_pass(2)
            made.archive()
    assert made.differing() == set()
    asked = made.asked()
    assert not kept & set(asked)
    assert all(count == 1 for count in asked.values())
    assert made.rows("select count(*) from documents where version is null") == [(0,)]


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("kind", daily(PASSING, 3))
def test_nothing_bad_is_stored_and_a_later_run_completes(new: Place, kind: str) -> None:
    """Nine of ten requests go wrong, so that most documents fail and some come at a second try."""
    path = r".*\.(pdf|zip)"
    new.sandbox.set_faults([{"match": {"path": path}, "probability": 0.9, "seed": 3, "effect": PASSING[kind]}])
    told = new.archive()
    assert told.exit_code == 3
    stored = set(new.stored())
    assert stored < new.pairs()
    assert new.differing(stored) == set()
    failed = new.rows("select assessment_id, kind from documents where state = 'failed' and last_error is not null")
    assert {*failed} == new.pairs() - stored
    assert told.counts["failed"] == len(failed)
    assert f"{len(failed):,} documents failed" in " ".join(told.left_behind)
    kept = list((new.path / "archive" / "blobs").rglob("*.*"))
    assert len(kept) == len(stored)
    assert not list((new.path / "archive" / "partial").iterdir())
    completes(new)


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("effect", ["cut_body", "reset"])
def test_bodies_that_break_off_are_gone_on_with_where_the_server_offers_it(
    synced_small: Path, tmp_path: Path, effect: str
) -> None:
    starts: list[int] = []

    def before(request: Any) -> None:
        if "range" in request.headers:
            starts.append(int(re.fullmatch(r"bytes=(\d+)-", request.headers["range"])[1]))  # type: ignore[index]

    writers = {"report": long_report}
    with place(tmp_path / "home", synced_small, writers, scale=SMALL, accept_ranges=True, before=before) as made:
        options = {"where": "body"} if effect == "reset" else {}
        broken = {"kind": effect, "fraction": 0.6} | options
        paths = [f"/assessments/{key}/report.pdf" for key in made.wanted()]
        made.sandbox.set_faults([{"match": {"path": path}, "times": 2, "effect": broken} for path in paths])
        told = made.archive()
        assert told.exit_code == 0
        assert made.differing() == set()
        assert starts
        assert min(starts) > 5_000


@pytest.mark.slow
def test_a_document_that_changed_before_the_rest_of_it_came_is_the_new_one_whole(
    synced_small: Path, tmp_path: Path
) -> None:
    """Each report becomes another between its two halves; half of them stay as long as they were."""
    ranged: set[str] = set()

    def written(about: Subject) -> bytes:
        body = long_report(about)
        return body + b"\n" * (24_000 - len(body) if int(about.record.key.encode().hex(), 16) % 2 else 3)

    def before(request: Any) -> None:
        key = request.path.split("/")[2]
        if "range" in request.headers and key not in ranged:
            ranged.add(key)
            record = worlds[0].assessments.get(key)
            worlds[0].assessments.set_members(key, score=(record.version * 7) % 100)

    worlds: list[Any] = []
    with place(
        tmp_path / "home", synced_small, {"report": written}, scale=SMALL, accept_ranges=True, before=before
    ) as made:
        worlds.append(made.sandbox.world)
        cut = {"kind": "cut_body", "fraction": 0.5}
        paths = [f"/assessments/{key}/report.pdf" for key in made.wanted()]
        made.sandbox.set_faults([{"match": {"path": path}, "times": 1, "effect": cut} for path in paths])
        made.archive(kinds=["report"])
        assert ranged == set(made.wanted())
        assert made.differing(made.pairs("report")) == set()


class OtherBeginning:
    """A report whose versions are as long as each other, and differ in a date near their beginning alone."""

    def __init__(self) -> None:
        self.first: dict[str, bytes] = {}

    def __call__(self, about: Subject) -> bytes:
        key = str(about.record.key)
        first = self.first.setdefault(key, lengthened(report(about), Random(key)))
        return first.replace(b"D:20260302", b"D:2026%04d" % (about.record.version + 300))


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("etags", daily(ETAGS, 2))
def test_no_document_has_the_beginning_of_one_version_and_the_end_of_another(
    synced_small: Path, tmp_path: Path, etags: str
) -> None:
    """Each report changes between its first half and the next request for it; servers treat `If-Range` in many ways."""
    asked: set[str] = set()
    changed: set[str] = set()

    def before(request: Any) -> None:
        key = request.path.split("/")[2]
        if request.path.endswith(".pdf"):
            if key in asked - changed:
                changed.add(key)
                worlds[0].assessments.set_members(key, score=0.5)
            asked.add(key)

    worlds: list[Any] = []
    options = {"scale": SMALL, "accept_ranges": True, "etags": etags, "before": before}
    with place(tmp_path / "home", synced_small, {"report": OtherBeginning()}, **options) as made:
        worlds.append(made.sandbox.world)
        cut = {"kind": "cut_body", "fraction": 0.9}
        paths = [f"/assessments/{key}/report.pdf" for key in made.wanted()]
        made.sandbox.set_faults([{"match": {"path": path}, "times": 1, "effect": cut} for path in paths])
        assert made.archive(kinds=["report"]).exit_code == 0
        assert changed == set(made.wanted())
        assert made.differing(made.pairs("report")) == set()


@pytest.mark.release
def test_what_is_missing_is_asked_for_again_at_most_once_a_day(new: Place) -> None:
    new.fail(r".*\.pdf", kind="status", status=404)
    told = new.archive()
    assert (told.exit_code, told.counts["missing"]) == (0, len(new.wanted()))
    assert told.lacking == len(new.wanted())
    reason = "select distinct reason, attempts from marts.document_coverage"
    assert new.rows(reason) == [("missing in the API", 1)]
    assert new.asked().total() == len(new.pairs())
    for _ in range(2):
        new.archive()
        new.days_pass(0.4)
    assert not new.asked()
    for _ in range(3):
        new.days_pass(1)
        new.archive()
        assert new.asked() == dict.fromkeys(new.pairs("report"), 1)
    assert new.rows(reason) == [("missing in the API", 4)]
    completes(new)


@pytest.mark.release
def test_a_failure_within_a_run_is_not_asked_for_again_in_it(new: Place) -> None:
    new.fail(r".*\.zip", kind="status", status=400)
    new.archive()
    assert new.asked() == dict.fromkeys(new.pairs(), 1)
    new.archive()
    assert new.asked() == dict.fromkeys(new.pairs("bundle"), 1)
    new.archive()
    assert not new.asked()


@pytest.mark.release
def test_a_kind_without_the_right_is_given_up_and_all_of_the_other_comes(
    synced_small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["propsync.runbooks.archiving.archive"], "_CHUNK", 6)
    with place(tmp_path / "home", synced_small, scale=SMALL) as made:
        made.fail(r".*\.pdf", kind="status", status=403)
        told = made.archive(max_concurrency=2)
        assert told.exit_code == 3
        (line,) = [line for line in told.left_behind if "403" in line]
        assert line.startswith("reports: ")
        assert "leave them out of PROPSYNC_ARCHIVE_KINDS" in line
        assert "--only" not in line  # it names resources, and no documents
        assert set(made.stored()) == made.pairs("bundle")
        asked = made.asked()
        assert sum(count for (_, kind), count in asked.items() if kind == "report") <= 4
        assert all(count == 1 for count in asked.values())
        again = made.archive(max_concurrency=2)
        assert again.exit_code == 3
        assert {kind for _, kind in made.asked()} == {"report"}
        completes(made)


@pytest.mark.release
def test_a_failure_of_a_new_version_leaves_the_one_before_as_the_latest(new: Place) -> None:
    new.archive()
    key = new.wanted()[0]
    before = {kind: new.truth(key, kind) for kind in ("report", "bundle")}
    new.edit(key)
    new.sync()
    new.fail(kind="wrong_content", content="html")
    assert new.archive().exit_code == 3
    assert {kind: new.stored()[key, kind] for kind in before} == before
    rows = f"select kind, reason from marts.document_coverage where assessment_id = '{key}' order by all"
    assert new.rows(rows) == [("bundle", "failed"), ("report", "failed")]
    completes(new)
    versions = f"select count(*), count(*) filter (is_latest) from documents where assessment_id = '{key}'"
    assert new.rows(versions) == [(4, 2)]


@pytest.mark.slow
def test_an_api_that_asks_to_wait_is_waited_for(new: Place) -> None:
    new.fail(times=3, kind="status", status=429, retry_after=1)
    assert new.archive().exit_code == 0
    assert new.differing() == set()


@pytest.mark.slow
def test_a_kind_whose_quota_is_spent_is_given_up_and_puts_few_documents_off(new: Place) -> None:
    """Each further document would fail, and after some such nights none would be due for weeks."""
    new.fail(r".*\.zip", after=5, kind="status", status=429, retry_after=3600)
    told = new.archive(max_concurrency=2)
    assert told.exit_code == 3
    assert any(line.startswith("bundles: ") and "it asks to wait 3600 s" in line for line in told.left_behind)
    assert set(new.stored()) >= new.pairs("report")
    assert len([pair for pair in new.asked() if pair[1] == "bundle"]) <= 9, "those that it had begun"
    completes(new, later=1)


@pytest.mark.slow
def test_a_disk_that_fills_while_documents_come_stops_the_run_and_a_later_one_goes_on(
    new: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk the system refuses bytes, here those of the thirteenth document and of any after it."""
    left = [12]

    class Small(io.FileIO):
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **options)
            left[0] -= 1

        def write(self, body: Any) -> int:
            if left[0] < 0:
                raise OSError(28, "No space left on device")
            return super().write(body)

    monkeypatch.setattr("propsync.storage.disk.FileIO", Small)
    with pytest.raises(DiskFull):
        new.archive(max_concurrency=1)
    stored = set(new.stored())
    assert 8 <= len(stored) <= 12
    assert not list((new.path / "archive" / "partial").iterdir())
    left[0] = 10**6
    completes(new)
