"""Promises of the gate: how concurrency is learnt, and who is held."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.api.loopback import FakeClock

from propsync.api.gate import Cancelled, Gate, Outcome

GOOD, FAILED, CROWDED = Outcome.GOOD, Outcome.FAILED, Outcome.CROWDED


@pytest.fixture
def gate(clock):
    return Gate(8, clock)


def exchange(gate, *outcomes):
    for outcome in outcomes:
        gate.leave(gate.enter(threading.Event()), outcome)
    return gate.limit


def test_it_starts_at_two_and_grows_by_one_for_every_round_of_good_answers(gate):
    assert gate.limit == 2
    assert exchange(gate, GOOD) == 2
    assert exchange(gate, GOOD) == 3
    assert exchange(gate, GOOD, GOOD) == 3
    assert exchange(gate, GOOD) == 4


def test_it_never_passes_its_maximum(clock):
    assert exchange(Gate(3, clock), *[GOOD] * 50) == 3
    assert Gate(1, clock).limit == 1


def test_a_failure_starts_the_row_anew(gate):
    assert exchange(gate, GOOD, FAILED, GOOD) == 2
    assert exchange(gate, GOOD) == 3


def test_crowding_halves_it_but_never_below_one(gate):
    exchange(gate, *[GOOD] * 60)
    assert gate.limit == 8
    assert [exchange(gate, CROWDED) for _ in range(5)] == [4, 2, 1, 1, 1]


def test_requests_under_way_together_halve_it_once(gate):
    exchange(gate, *[GOOD] * 60)
    tickets = [gate.enter(threading.Event()) for _ in range(6)]
    for ticket in tickets:
        gate.leave(ticket, CROWDED)
    assert gate.limit == 4
    assert exchange(gate, CROWDED) == 2


def test_no_more_are_let_in_than_the_limit(gate):
    first = [gate.enter(threading.Event()) for _ in range(2)]
    entered = threading.Event()

    def third():
        gate.leave(gate.enter(threading.Event()), GOOD)
        entered.set()

    thread = threading.Thread(target=third)
    thread.start()
    assert not entered.wait(0.1)
    gate.leave(first[0], GOOD)
    assert entered.wait(10)
    thread.join()


def test_a_hold_makes_everybody_wait_and_the_longer_one_stays(gate, clock):
    gate.hold(30)
    gate.hold(5)
    gate.leave(gate.enter(threading.Event()), GOOD)
    assert clock.sleeps == [30]
    assert gate.held_for() == 0


def test_who_waits_for_a_turn_wakes_when_cancelled(gate):
    for _ in range(2):
        gate.enter(threading.Event())
    cancel, ended = threading.Event(), []

    def third():
        with pytest.raises(Cancelled):
            gate.enter(cancel)
        ended.append(True)

    thread = threading.Thread(target=third)
    thread.start()
    cancel.set()
    gate.wake()
    thread.join(10)
    assert ended == [True]


@given(st.lists(st.sampled_from(Outcome), max_size=200), st.integers(1, 20))
def test_whatever_happens_the_limit_stays_in_bounds(outcomes, maximum):
    gate = Gate(maximum, FakeClock())
    for outcome in outcomes:
        assert 1 <= exchange(gate, outcome) <= maximum
