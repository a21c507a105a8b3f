"""A plan is a file that is exactly what a person reviewed."""

from __future__ import annotations

import errno
import json
import os
import resource
from decimal import Decimal
from pathlib import Path

import pytest

from propsync.errors import HomeUnusable, UsageError
from propsync.push.files.corrections import read_file
from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, FieldChange, Plan, load_plan, save_as, save_plan
from propsync.storage import remove_partials


def plan(*entries: Entry, sizes: dict[str, int] | None = None) -> Plan:
    return Plan("assets", "doors.csv", "ab", "20260301T023000000000Z", [*entries], sizes=sizes or {})


def entry(number: int, action: str = UPDATE, new: object = "x", fields: int = 1) -> Entry:
    changes = [FieldChange(f"f{one}", "Label", "text", "old", new) for one in range(fields)]
    return Entry(number, action, (f"a{number}",), "p", "t", changes)


def test_a_saved_plan_comes_back_the_same_with_every_digit(tmp_path: Path) -> None:
    number = FieldChange("f", "Height", "number", Decimal("1.50"), Decimal("12345678901234567890.123"))
    made = plan(Entry(2, UPDATE, ("a",), "p", "t", [number]))
    save_plan(made, tmp_path / "a.plan")
    assert load_plan(tmp_path / "a.plan") == made
    assert (tmp_path / "a.plan").stat().st_mode & 0o777 == 0o600
    assert '"old":1.50,"new":12345678901234567890.123' in (tmp_path / "a.plan").read_text()


@pytest.mark.parametrize("cut", [0, 1, 30, -3])
def test_a_damaged_plan_is_refused(tmp_path: Path, cut: int) -> None:
    save_plan(plan(entry(1)), tmp_path / "a.plan")
    whole = (tmp_path / "a.plan").read_bytes()
    (tmp_path / "a.plan").write_bytes(whole[:cut])
    with pytest.raises(UsageError, match="cannot be read as a plan"):
        load_plan(tmp_path / "a.plan")


@pytest.mark.parametrize(("number", "step"), [(errno.EACCES, "chown -R"), (errno.EIO, "dmesg")])
def test_a_plan_that_the_system_keeps_from_us_is_not_to_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, step: str
) -> None:
    """It may be half sent, and another plan would not know what of it was."""

    def refused(_path: Path) -> bytes:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(UsageError, match=step) as told:
        load_plan(tmp_path / "a.plan")
    assert "push plan" not in str(told.value)


def test_a_plan_that_somebody_changed_is_refused(tmp_path: Path) -> None:
    save_plan(plan(entry(1)), tmp_path / "a.plan")
    found = json.loads((tmp_path / "a.plan").read_text())
    found["plan"]["entries"][0]["changes"][0]["new"] = "y"
    (tmp_path / "a.plan").write_text(json.dumps(found))
    with pytest.raises(UsageError, match="changed after it was made"):
        load_plan(tmp_path / "a.plan")


def test_a_plan_that_cannot_be_saved_says_where_it_may_be(tmp_path: Path) -> None:
    """A colleague who may plan has no rights in the state of the service."""
    (tmp_path / "plans").write_text("not a folder")
    with pytest.raises(HomeUnusable, match="Save the plan where you may write, with --out"):
        save_plan(plan(), tmp_path / "plans" / "1.plan")


def test_no_file_that_may_be_open_is_no_question_of_rights(tmp_path: Path) -> None:
    (tmp_path / "doors.csv").write_text("asset_id\n")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with (tmp_path / "doors.csv").open() as lowest:
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest.fileno(), limits[1]))
        try:
            with pytest.raises(HomeUnusable, match="Raise the limit of open files"):
                save_plan(plan(), tmp_path / "1.plan")
            with pytest.raises(HomeUnusable, match="Raise the limit of open files"):
                save_as(plan(), tmp_path / "1.plan")
            with pytest.raises(UsageError, match="Raise the limit of open files"):
                read_file(tmp_path / "doors.csv", "asset_id")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_plan_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such plan"):
        load_plan(tmp_path / "none.plan")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (plan(*(entry(one) for one in range(20)), sizes={"t": 20}), []),  # 20 are few, whatever their share
        (plan(*(entry(one) for one in range(21)), sizes={"t": 70}), []),  # exactly 30 %
        (plan(*(entry(one) for one in range(21)), sizes={"t": 69}), ["changes 21 of the 69 records of the type t"]),
        (plan(*(entry(one, CREATE) for one in range(20)), sizes={"t": 0}), []),
        (plan(*(entry(one, CREATE) for one in range(21)), sizes={"t": 70}), []),
        (
            plan(*(entry(one, CREATE) for one in range(21)), sizes={"t": 69}),
            ["creates 21 records of the type t, which has"],
        ),
        (plan(*(entry(one, (CREATE, UPDATE)[one % 2]) for one in range(40)), sizes={"t": 0}), []),  # 20 of each
        (plan(entry(1, new=None, fields=100), sizes={"t": 9}), []),
        (plan(entry(1, new=None, fields=101), sizes={"t": 9}), ["clears 101 values"]),
        (plan(*(entry(one, DELETE) for one in range(20)), sizes={"t": 900}), []),
        (plan(*(entry(one, DELETE) for one in range(21)), sizes={"t": 900}), ["deletes 21 schedules"]),
    ],
)
def test_a_large_plan_says_why_it_needs_consent(made: Plan, words: list[str]) -> None:
    reasons = made.why_large()
    assert len(reasons) == len(words)
    assert all(part in reason for part, reason in zip(words, reasons, strict=True))


def test_a_run_that_removes_unfinished_files_meanwhile_costs_no_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renamed = Path.replace
    removed: list[Path] = []

    def replace(self: Path, target: Path) -> Path:
        if not removed:  # as a run does that begins just now
            remove_partials(tmp_path)
            removed.append(self)
        return renamed(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    made = plan(entry(1))
    save_plan(made, tmp_path / "a.plan")
    assert removed
    assert load_plan(tmp_path / "a.plan") == made
