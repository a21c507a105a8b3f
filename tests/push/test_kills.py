"""An apply that is killed at any moment is finished by the next one, and each effect happens once."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from subprocess import Popen

import pytest
from kit.deaths import dying
from kit.kept import KeptHomes
from kit.programs import Program
from kit.push_home import PushHome, push_home

from propsync.cli.push.history import print_history
from propsync.cli.start import INTERRUPTED
from propsync.cli.status.command import print_status
from propsync.erasing.request import Request as Erasing
from propsync.errors import UsageError
from propsync.push.journals.journal import WriteJournal
from propsync.push.journals.saved import given_plan
from propsync.push.plan import CREATE, DELETE, UPDATE, Plan, save_plan
from propsync.push.sending import verdicts
from propsync.runbooks.erasure.erase import erase
from propsync.runbooks.push.undo import history, undo, unfinished
from propsync.storage import LocalStorage
from propsync.suppression import Suppression
from propsync_sandbox.exchange import Request

_LINES = 10  # of the journal of such a plan, and one more
_ALL = 36  # with the files that it puts in place


def of_assets(home: PushHome, number: int) -> Plan:
    """Two new assets of one type, and one that changes; each number has its own values."""
    asset_id, place, kind = home.assets(1)[0]
    text = home.field(kind, "text")
    new = [home.create(place, kind, {text: f"new {number}"}) for _ in range(2)]
    return home.plan(home.update(asset_id, {text: f"edit {number}"}), *new)


def of_schedules(home: PushHome, number: int) -> Plan:
    """One schedule of each action."""
    changed, deleted = home.schedules(2)
    taken = set(home.schedules(10_000))
    free = next((place, kind) for place, _ in taken for _, kind in taken if (place, kind) not in taken)
    return home.plan(
        home.schedule(CREATE, free, {"description": f"new {number}"}),
        home.schedule(UPDATE, changed, {"description": f"edit {number}"}),
        home.schedule(DELETE, deleted, {}),
        resource="schedules",
    )


def check_killed_at(home: PushHome, at: int, number: int, *, night_between: bool) -> int:
    """Kills an apply at a moment, applies again; returns how many moments passed before the death."""
    plan = (of_schedules if number % 3 == 2 else of_assets)(home, number)
    home.sandbox.journal._entries.clear()
    with dying(at) as moments:
        home.apply(plan, max_concurrency=1)
    if night_between:
        assert home.sync(["assets", "schedules"]).exit_code == 0
    report = home.apply(plan)
    assert (report.exit_code, report.left_behind) == (0, []), moments.names[-1:]
    assert list(home.effects.values()) == [1, 1, 1], moments.names[-1:]
    assert home.is_truth("assets"), moments.names[-1:]
    assert home.is_truth("schedules")
    states = home.column("select state from ops.writes where plan_id = ?", plan.plan_id)
    assert set(states) == {"verified"}
    assert unfinished(home.settings()) == []
    assert undo(home.settings(), plan.plan_id).undoes, moments.names[-1:]
    return len(moments.names)


@pytest.mark.slow
@pytest.mark.parametrize("has_gone_on", [False, True])
def test_a_journal_that_comes_back_takes_nothing_from_what_another_machine_wrote(
    home: PushHome, *, has_gone_on: bool
) -> None:
    """A machine that was taken for lost: its plan was applied again without its journal, and then it came back.

    If it only slept, it went on with its plan, and found the records of the other machine.
    """
    plan = of_assets(home, 0)
    with dying(3):  # right after the first answer is in the journal
        home.apply(plan, max_concurrency=1)
    (journal,) = (home.path / "state/push").iterdir()
    lost = journal.read_bytes()
    journal.unlink()
    home.apply(plan)
    written = {row for row in home.writes("record_id, state, written_at") if row[-1]}
    assert len(written) == 2
    journal.parent.mkdir(exist_ok=True)
    journal.write_bytes(lost)
    if has_gone_on:
        own = WriteJournal(LocalStorage(home.path), plan, Suppression(None, ()))
        own.done(1, verdicts.made("an asset of the other machine"))
        own.close()
    assert home.apply(plan).left_behind == []
    assert written <= {*home.writes("record_id, state, written_at")}
    assert list(home.effects.values()) == [1, 1, 1]
    assert unfinished(home.settings()) == []


def test_a_plan_that_was_interrupted_is_told_by_status(home: PushHome, capsys: pytest.CaptureFixture[str]) -> None:
    def told() -> str:
        print_status(home.settings(), None, as_json=False)
        return capsys.readouterr().out

    plan = of_assets(home, 0)
    with dying(2):
        home.apply(plan, max_concurrency=1)
    assert f"Unfinished: plan {plan.plan_id}, of which a part may be sent. Next: propsync push apply" in told()
    home.apply(plan)
    assert "Unfinished" not in told()


def test_the_id_of_an_unfinished_plan_is_enough_without_its_file(home: PushHome) -> None:
    def given() -> Plan:
        return given_plan(home.path, home.path / "state", Path(plan.plan_id))

    plan = of_assets(home, 0)
    with dying(2):
        home.apply(plan, max_concurrency=1)
    assert given() == plan
    assert home.apply(given()).exit_code == 0
    assert [*home.effects.values()] == [1, 1, 1]
    with pytest.raises(UsageError, match="there is no such plan"):
        given()


def test_the_end_of_a_plan_lets_an_erasure_begin(home: PushHome) -> None:
    plan = of_assets(home, 0)
    edited = next(one.key[0] for one in plan.entries if one.key)
    with dying(2):
        home.apply(plan, max_concurrency=1)
    home.sync(["assets"])
    with pytest.raises(UsageError, match="end it with --give-up; then erase"):
        erase(home.settings(), Erasing(asset=edited, reason="asked"))
    home.apply(plan, gives_up=True)
    assert erase(home.settings(), Erasing(asset=edited, reason="asked")).exit_code == 0


def test_history_does_not_deny_the_writes_of_an_unfinished_plan(
    home: PushHome, capsys: pytest.CaptureFixture[str]
) -> None:
    def told() -> str:
        settings = home.settings()
        print_history(history(settings), unfinished(settings), settings.zone, as_json=False)
        return capsys.readouterr().out

    assert "propsync has written nothing yet" in told()
    plan = of_assets(home, 0)
    with dying(2):
        home.apply(plan, max_concurrency=1)
    assert f"Unfinished: plan {plan.plan_id}" in (said := told())
    assert "nothing" not in said


@pytest.mark.slow
def test_ctrl_c_says_how_far_an_apply_came(kept: KeptHomes, tmp_path: Path) -> None:
    """The real program, since a signal ends it; the API keeps the second write waiting until then."""

    def interrupt(request: Request) -> None:
        if request.method == "PATCH" and len(home.effects) == 1:
            started[0].send_signal(signal.SIGINT)

    started: list[Popen[str]] = []
    with push_home(kept, tmp_path / "home", before=interrupt) as home:
        edits = [home.update(one, {home.field(kind, "text"): "new"}) for one, _, kind in home.assets(5)]
        plan = home.plan(*edits)
        save_plan(plan, tmp_path / "a.plan")
        with Program(tmp_path, home.environ(max_concurrency=1)).started("push", "apply", "a.plan") as process:
            started.append(process)
            said = process.communicate(timeout=60)[1]
        assert process.returncode == INTERRUPTED
        assert f"tried to write 2 of 5 records of plan {plan.plan_id}. The same command sends the rest" in said
        assert home.apply(plan).exit_code == 0
        assert list(home.effects.values()) == [1] * 5


_DAILY = (2, 30)
_OTHERS = [one for one in (*range(_LINES), *range(_LINES, _ALL, 3)) if one not in _DAILY]


@pytest.mark.slow
@pytest.mark.parametrize(
    "moments", [pytest.param(_DAILY, id="few"), pytest.param(_OTHERS, id="others", marks=pytest.mark.release)]
)
def test_killed_at_any_moment_and_applied_again(home: PushHome, moments: Sequence[int]) -> None:
    for number, at in enumerate(moments):
        assert check_killed_at(home, at, number, night_between=number % 2 == 1) == at
