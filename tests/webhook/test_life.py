"""A sandbox sends hints badly to a receiver: the home publishes what they show, and the night finds the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kit.hint_home import SCALE, HintHome
from kit.kept import KeptHomes
from kit.receiving import HOOK, receiving

from propsync_sandbox import HintPlan, Sandbox

RESOURCES = ("assets", "assessments", "schedules")


@contextmanager
def life(kept: KeptHomes, folder: Path, **plan: Any) -> Iterator[HintHome]:
    """A home after its first sync, whose receiver hears of each change."""
    path = folder / "home"
    with (
        receiving(path) as receiver,
        Sandbox(scale=SCALE, seed=17, hints=HintPlan(f"http://127.0.0.1:{receiver.port}{HOOK}", **plan)) as sandbox,
    ):
        made = HintHome(sandbox, path)
        kept.copied(("hints", SCALE), path, lambda _: made.sync())
        yield made


@pytest.fixture(autouse=True)
def _all_from_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("propsync.webhook.receiver.MOST_A_MINUTE", 10_000)


def edit(home: HintHome, dice: Random) -> None:
    """A day of changes."""
    world = home.sandbox.world
    for _ in range(6):
        world.assets.scribble(str(world.assets.pick(dice)), dice)
        world.assessments.scribble(str(world.assessments.pick(dice)), dice)
        world.schedules.scribble(world.schedules.pick(dice), dice)
    world.assets.add(rng=dice)
    world.assessments.add(rng=dice, status="approved")
    world.assets.delete(world.assets.pick(dice))
    world.schedules.delete(world.schedules.pick(dice))


def differing(home: HintHome) -> dict[str, int]:
    """How many records of each resource are published otherwise than they are."""
    found = {}
    for resource in RESOURCES:
        known, truth = home.known(resource), home.sandbox.world.truth(resource)
        found[resource] = sum(known.get(key) != truth.get(key) for key in {*known, *truth})
    return found


def read_in_time(home: HintHome) -> None:
    """The four looks of a hint."""
    for minutes in (0, 1, 4, 25):
        home.wait(minutes=minutes, seconds=1)
        assert home.read().exit_code in (0, 3)


@pytest.mark.release
@pytest.mark.parametrize(
    "seed", [1, pytest.param(2, marks=pytest.mark.release), pytest.param(3, marks=pytest.mark.release)]
)
def test_the_night_finds_what_no_hint_showed_and_the_rate_is_right(kept: KeptHomes, tmp_path: Path, seed: int):
    plan = {"delay": (0.0, 0.2), "doubled": 0.3, "lost": 0.3, "hostile": 0.5, "seed": seed}
    with life(kept, tmp_path, **plan) as home:
        edit(home, Random(seed))
        assert home.sandbox.hints is not None
        home.sandbox.hints.wait()
        changed = differing(home)
        read_in_time(home)
        missed = differing(home)
        assert 0 < sum(missed.values()) < sum(changed.values())
        home.wait(hours=3)
        home.nightly()
        assert differing(home) == dict.fromkeys(RESOURCES, 0)
        columns = "resource, changes_by_hint, changes_by_night"
        found = {name: counts for name, *counts in home.rows(f"select {columns} from marts.hint_coverage")}
        assert found == {name: [changed[name] - missed[name], missed[name]] for name in RESOURCES}
        assert "waiting" not in home.states()


@pytest.mark.slow
def test_without_losses_every_change_is_published_before_the_night(kept: KeptHomes, tmp_path: Path):
    with life(kept, tmp_path, doubled=0.5) as home:
        edit(home, Random(5))
        assert home.sandbox.hints is not None
        home.sandbox.hints.wait()
        home.read()
        assert differing(home) == dict.fromkeys(RESOURCES, 0)


@pytest.mark.slow
def test_hints_that_outrun_the_lists_are_found_at_a_later_look(kept: KeptHomes, tmp_path: Path):
    with life(kept, tmp_path, lag=3_600.0) as home:
        edit(home, Random(6))
        assert home.sandbox.hints is not None
        home.sandbox.hints.wait()
        home.read()
        home.sandbox.lists.lag = 0.0
        read_in_time(home)
        assert differing(home) == dict.fromkeys(RESOURCES, 0)
