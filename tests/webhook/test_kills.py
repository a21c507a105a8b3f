"""A run after hints that is killed at any moment loses no hint and doubles none."""

from __future__ import annotations

import pytest
from kit.hint_home import HintHome, assessment_hint, property_hint, schedule_hint
from kit.kills import PROGRAM, is_killed_after, seconds_at_work, spread, started, wait_for_the_lock

COMMAND = [PROGRAM, "webhook", "--read"]


def change_and_hint(home: HintHome, number: int) -> None:
    """A change of each kind, and its hint."""
    world = home.sandbox.world
    key = home.column("select assessment_id from assessments order by 1")[number]
    pair = world.schedules.keys()[number]
    place = home.sandbox.world.properties.ids()[number]
    world.assessments.set_members(key, title=f"Number {number}")
    world.schedules.set_members((str(pair[0]), str(pair[1])), description=f"Number {number}")
    world.assets.add(place)
    home.hint(assessment_hint(key), schedule_hint((str(pair[0]), str(pair[1]))), {"type": "task"})
    home.hint(property_hint(place))


@pytest.mark.release
@pytest.mark.parametrize("number", [4, 11])  # the sandbox has 12 properties, and propsync looks at one once a minute
def test_killed_at_moments_all_over_a_run_after_hints(home: HintHome, number: int):
    home.wait(days=-365)  # programs have the clock of the machine
    change_and_hint(home, 0)
    lock = home.path / "state" / "run.lock"
    length = seconds_at_work(started(home, COMMAND), lock)
    for place, moment in enumerate(spread(number, length), 1):
        change_and_hint(home, place)
        process = started(home, COMMAND)
        wait_for_the_lock(process, lock)
        is_killed_after(moment, process)
        again = started(home, COMMAND)
        told = again.communicate(timeout=120)[1].decode()
        assert again.returncode == 0, told
        assert [one for one in ("assets", "assessments", "schedules") if not home.is_truth(one)] == []
        assert home.inbox.files() == []
    items = home.rows("select sum(items), count(distinct hint_id) = count(*) from ops.hints")
    assert items == [(4 * (number + 1), True)]
    assert not home.rows("select state from ops.hints where state = 'waiting' and record_id is null")
