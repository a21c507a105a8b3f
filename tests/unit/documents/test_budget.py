"""The limits of one archive run, to the byte and the second."""

from __future__ import annotations

from pathlib import Path

import pytest

from propsync.documents.budget import Budget


class Disk:
    total, free = 1000 * 10**9, 500 * 10**9


@pytest.fixture(autouse=True)
def disk(monkeypatch: pytest.MonkeyPatch) -> type[Disk]:
    """A disk of 1,000 GB, half of it free."""
    monkeypatch.setattr("shutil.disk_usage", lambda _: Disk)
    monkeypatch.setattr(Disk, "free", 500 * 10**9)
    return Disk


def budget(now: list[float], documents: int | None = None, came: int = 0) -> Budget:
    return Budget(Path("/"), lambda: came, most_bytes=5e9, seconds=120, documents=documents, clock=lambda: now[0])


def test_there_is_room_at_first_and_for_any_number_of_documents() -> None:
    made = budget([0.0])
    assert (made.reason(), made.documents_left) == (None, None)
    for _ in range(10_000):
        made.ask()
    assert made.reason() is None


def test_bytes_end_it() -> None:
    assert budget([0.0], came=4_999_999_999).reason() is None
    assert budget([0.0], came=5_000_000_000).reason() == "this run's 5 GB limit is reached (PROPSYNC_ARCHIVE_MAX_GB)"


def test_minutes_end_it() -> None:
    now = [1000.0]
    made = budget(now)
    now[0] = 1119.9
    assert made.reason() is None
    now[0] = 1120.0
    assert made.reason() == "this run's 2 minutes are used up (PROPSYNC_ARCHIVE_MAX_MINUTES)"


def test_a_number_of_documents_ends_it_also_of_those_that_fail() -> None:
    made = budget([0.0], documents=2)
    for left in (2, 1):
        assert (made.reason(), made.documents_left) == (None, left)
        made.ask()
    assert made.reason() == "the limit of 2 documents is reached"
    made.ask()
    assert made.documents_left == 0


@pytest.mark.parametrize(("free", "is_room"), [(100 * 10**9, True), (99 * 10**9, False), (0, False)])
def test_a_tenth_of_the_disk_is_left_free(disk: type[Disk], free: int, is_room: bool) -> None:
    disk.free = free
    assert (budget([0.0]).reason() is None) is is_room


def test_the_disk_is_looked_at_once_a_second(disk: type[Disk]) -> None:
    now = [0.0]
    made = budget(now)
    assert made.reason() is None
    disk.free, now[0] = 0, 0.9
    assert made.reason() is None
    now[0] = 1.0
    assert made.reason() == "less than 10 % of the disk is free (0.0 GB)"
    assert made.lacks_room
