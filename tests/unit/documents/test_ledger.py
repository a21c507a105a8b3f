"""Rows of `documents`, rows in and rows out: what becomes of what was asked for, and what is asked for next."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from propsync.documents.fetch_log import Fetched, FetchLog
from propsync.documents.ledger import DocumentChoice, Ledger
from propsync.storage import LocalStorage
from propsync.warehouse import Warehouse

DAY = timedelta(days=1)
START = datetime(2026, 3, 2, 2, 30, tzinfo=UTC)
BOTH = DocumentChoice(("report", "bundle"), ("approved",))
REPORTS = DocumentChoice(("report",), ("approved",))


class Book:
    """A ledger, a clock, and assessments."""

    def __init__(self, warehouse: Warehouse) -> None:
        self.warehouse = warehouse
        self.ledger = Ledger(warehouse)
        self.now = START

    def assess(self, key: str, *, changed: datetime | None = None, status: str = "approved", place: str = "p") -> None:
        """An assessment as the latest sync found it."""
        self.warehouse.execute("delete from main.assessments where assessment_id = ?", [key])
        row = [key, place, status, changed or self.now]
        self.warehouse.execute(
            "insert into main.assessments (assessment_id, property_id, status, changed_at) values (?, ?, ?, ?)", row
        )

    def took(self, key: str, outcome: str = "stored", kind: str = "report", **more: Any) -> Fetched:
        """What came of asking for one, now."""
        changed = self.warehouse.value("select changed_at from main.assessments where assessment_id = ?", [key])
        sha256 = more.pop("sha256", f"hash of {key}") if outcome == "stored" else None
        return Fetched(
            assessment_id=key,
            kind=kind,
            outcome=outcome,
            asked_at=self.now.isoformat(),
            of_changed_at=(changed or START).isoformat(),
            sha256=sha256,
            size_bytes=1 if sha256 else None,
            path=sha256,
            error=None if sha256 else outcome,
            **more,
        )

    def record(self, *taken: Fetched) -> dict[str, int]:
        return dict(self.ledger.record(taken, "run", 90))

    def ask(self, key: str, outcome: str = "stored", **more: Any) -> dict[str, int]:
        return self.record(self.took(key, outcome, **more))

    def wanted(self, choice: DocumentChoice = REPORTS, most: int = 100, began: datetime | None = None) -> list[str]:
        found, _ = self.ledger.wanted(
            choice, now=self.now, began=began or self.now, since=self.ledger.newest(), most=most
        )
        return [one.assessment_id for one in found]

    def rows(self, columns: str) -> list[tuple[Any, ...]]:
        return self.warehouse.rows(f"select {columns} from main.documents order by assessment_id, kind, version")


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    with Warehouse(tmp_path / "state.duckdb", memory_limit="500MB", folder=tmp_path) as warehouse:
        yield Book(warehouse)


def test_other_bytes_are_another_version_and_the_same_bytes_are_none(book: Book) -> None:
    book.assess("a")
    assert book.ask("a", sha256="one") == {"stored": 1, "same": 0, "missing": 0, "failed": 0}
    book.now += DAY
    assert book.ask("a", sha256="one") == {"stored": 0, "same": 1, "missing": 0, "failed": 0}
    assert book.rows("version, is_latest, asked_at, due_at") == [(1, True, book.now, book.now + 90 * DAY)]
    assert book.ask("a", sha256="two")["stored"] == 1
    assert book.ask("a", sha256="one")["stored"] == 1
    assert book.rows("version, is_latest, sha256") == [(1, False, "one"), (2, False, "two"), (3, True, "one")]


@pytest.mark.parametrize("outcome", ["failed", "missing"])
def test_what_cannot_be_had_has_one_row_and_leaves_the_version_before_alone(book: Book, outcome: str) -> None:
    book.assess("a")
    book.ask("a", sha256="one")
    before = book.rows("*")
    for times in (1, 2, 3):
        book.now += DAY
        assert book.ask("a", outcome)[outcome] == 1
        rows = book.rows("*")
        assert rows[0] == before[0]
        assert book.rows("version, is_latest, state, attempts")[1:] == [(None, False, outcome, times)]
    book.ask("a", sha256="one")
    assert book.rows("version, is_latest, state") == [(1, True, "stored")]


@pytest.mark.parametrize("outcome", ["stored", "failed", "missing"])
def test_to_record_twice_is_to_record_once(book: Book, outcome: str) -> None:
    """A run that is killed before it forgets its notes leaves them to the next one."""
    book.assess("a")
    book.ask("a", "failed")
    book.now += DAY
    taken = book.took("a", outcome)
    book.record(taken)
    once = book.rows("*")
    book.record(taken)
    assert book.rows("*") == once


def test_each_kind_has_its_own_rows(book: Book) -> None:
    book.assess("a")
    book.record(book.took("a"), book.took("a", "missing", kind="bundle"))
    book.ask("a", kind="bundle", sha256="other")
    assert book.rows("kind, version, is_latest") == [("bundle", 1, True), ("report", 1, True)]


def days_asked(book: Book, outcome: str, days: int) -> list[int]:
    """The nights, of that number, on which propsync asks for it, while each ends in the same way."""
    asked = []
    for day in range(days):
        if book.wanted():
            asked.append(day)
            book.ask("a", outcome)
        book.now += DAY
    return asked


def test_a_failure_backs_off_after_its_second_up_to_thirty_days(book: Book) -> None:
    book.assess("a")
    assert days_asked(book, "failed", 100) == [0, 1, 2, 4, 8, 15, 29, 56, 86]


def test_what_is_missing_is_asked_for_each_day_and_a_failure_after_it_is_a_first_one(book: Book) -> None:
    book.assess("a")
    assert days_asked(book, "missing", 9) == [*range(9)]
    assert days_asked(book, "failed", 9) == [0, 1, 2, 4, 8]
    assert book.rows("state, attempts") == [("failed", 5)]


def test_what_is_missing_is_not_asked_for_twice_a_day(book: Book) -> None:
    book.assess("a")
    book.ask("a", "missing")
    for hours in (1, 12, 22):
        book.now = START + timedelta(hours=hours)
        assert book.wanted() == []
    book.now = START + timedelta(hours=24)
    assert book.wanted() == ["a"]


def test_a_first_failure_is_asked_for_again_by_the_next_run_and_not_by_the_same(book: Book) -> None:
    book.assess("a")
    began = book.now
    book.now += timedelta(minutes=1)
    book.ask("a", "failed")
    book.now += timedelta(minutes=1)
    assert book.wanted(began=began) == []
    assert book.wanted() == ["a"]
    book.ask("a", "failed")
    book.now += timedelta(minutes=1)
    assert book.wanted() == []


@pytest.mark.parametrize("outcome", ["stored", "failed", "missing"])
def test_a_changed_assessment_is_asked_for_whatever_came_before(book: Book, outcome: str) -> None:
    book.assess("a")
    for _ in range(3):
        book.ask("a", outcome)
        book.now += timedelta(minutes=1)
    assert book.wanted() == []
    book.assess("a")
    assert book.wanted() == ["a"]


def test_what_is_kept_for_long_is_asked_for_again(book: Book) -> None:
    book.assess("a")
    book.ask("a")
    book.now += 89 * DAY
    assert book.wanted() == []
    book.now += 2 * DAY
    assert book.wanted() == ["a"]


def test_the_newest_first_then_the_oldest_debt_then_failures_then_what_is_kept_for_long(book: Book) -> None:
    for number, key in enumerate(["kept", "debt 1", "failed", "debt 2", "asked"]):
        book.assess(key, changed=START + number * DAY)
    book.now = START + 5 * DAY
    book.record(book.took("kept"), book.took("failed", "failed"), book.took("asked"))
    book.now += 85 * DAY
    book.ask("asked")  # not due yet
    for key in ("new 1", "new 2"):
        book.now += 3 * DAY
        book.assess(key)
    assert book.wanted() == ["new 2", "new 1", "debt 1", "debt 2", "failed", "kept"]
    assert book.wanted(most=3) == ["new 2", "new 1", "debt 1"]


def test_a_run_that_asks_for_some_of_what_is_new_makes_no_debt_of_the_rest(book: Book) -> None:
    for number in range(5):
        book.assess(f"debt {number}", changed=START + number * timedelta(hours=1))
    book.ask("debt 4")
    book.now += DAY
    for key in ("new 1", "new 2", "new 3"):
        book.assess(key)
    book.now += timedelta(hours=1)
    book.ask("new 2")
    book.ask("debt 0")
    assert book.wanted()[:2] == ["new 1", "new 3"]


def test_other_statuses_properties_and_kinds_are_not_wanted(book: Book) -> None:
    book.assess("a", place="p1")
    book.assess("b", place="p2")
    book.assess("c", status="submitted")
    assert sorted(book.wanted(BOTH)) == ["a", "a", "b", "b"]
    assert book.wanted(DocumentChoice(("bundle",), ("approved",), ("p2",))) == ["b"]
    assert book.wanted(DocumentChoice(("bundle",), ("submitted", "inprogress"))) == ["c"]
    assert book.wanted(DocumentChoice((), ("approved",))) == []


@pytest.mark.parametrize("spoilt", [b'{"assessment_id":"c","ki', b'{"assessment_id":"\xff","kind":"report"}', bytes(9)])
def test_notes_are_kept_until_they_are_forgotten_and_a_spoilt_one_spoils_no_other(
    tmp_path: Path, book: Book, spoilt: bytes
) -> None:
    store = FetchLog(LocalStorage(tmp_path / "home"))
    assert store.all() == []
    for key in ("a", "b"):
        book.assess(key)
    store.add(book.took("a", "failed"))
    path = tmp_path / "home" / "archive" / "taken.jsonl"
    path.write_bytes(path.read_bytes() + spoilt)
    store.add(book.took("a"))
    store.add(book.took("b"))
    assert store.all() == [book.took("a"), book.took("b")]
    store.clear()
    assert store.all() == []
    store.clear()


def test_a_note_with_any_altered_byte_names_no_other_document(tmp_path: Path, book: Book) -> None:
    store, path = FetchLog(LocalStorage(tmp_path)), tmp_path / "archive" / "taken.jsonl"
    for key in ("a", "b"):
        book.assess(key)
        store.add(book.took(key))
    store.close()
    whole, second = path.read_bytes(), path.read_bytes().rindex(b"{")
    for place in range(whole.index(b"{"), second - 2):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert store.all() == [book.took("b")]


@pytest.mark.parametrize("days", [999_999, 10**9, 10**30])
def test_a_document_may_be_asked_for_again_after_any_number_of_days(book: Book, days: int) -> None:
    book.assess("a")
    assert book.ledger.record([book.took("a")], "run", days)["stored"] == 1
