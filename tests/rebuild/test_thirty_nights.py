"""Thirty nights of a lived-in world, with all that can happen in them, and the same again from landing alone."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from kit.comparing import assert_same
from kit.home import QUICK
from rebuild.conftest import Lived

from propsync.runbooks import Report, Scope, backfill, nightly
from propsync_sandbox import Sandbox

NIGHTS = 30
FIRST = datetime.now(UTC) - timedelta(days=NIGHTS - 1)  # a backfill has the real clock, and comes after all of them


class Nights:
    """A home that follows a sandbox; what happened is counted, so that a quiet course is noticed."""

    def __init__(self, sandbox: Sandbox, lived: Lived) -> None:
        self.sandbox = sandbox
        self.home = lived
        self.settings = lived.settings(base_url=sandbox.base_url, token=sandbox.token, page_limit=25)
        self.dice = random.Random(30)
        self.held: str | None = None

    def sync(self, night: int, **options: Any) -> Report:
        """One night's run."""
        now = FIRST + timedelta(days=night)
        return nightly(self.settings, policy=QUICK, now=now, call=self.home.call, **options)

    def live(self, night: int) -> None:
        """A night with its changes; every fifth something is out of the ordinary."""
        self.sandbox.night()
        world: Any = self.sandbox.world
        if night % 10 == 3:  # a mass of deletes, which is held
            for key in self.dice.sample(sorted(world.truth("assets")), 30):
                world.assets.delete(key)
        if night % 10 == 6:
            world.assessments.set_status(self.dice.choice(sorted(world.truth("assessments"))), "archived")
            world.schedules.set_status(self.dice.choice(sorted(world.truth("schedules"))), "done")
        if night % 10 == 8 and (gone := world.assets.gone_keys()):
            world.assets.bring_back(gone[0])
        accept = self.held if night % 10 == 4 else None
        report = self.sync(night, accept=accept)
        self.held = report.run_id if report.resources["assets"]["held"] else None


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_rebuild_over_thirty_landed_nights_gives_the_same(tmp_path: Path) -> None:
    with Sandbox(scale=160, seed=30) as sandbox:
        lived = Lived(tmp_path / "home")
        lived.has_desk = False  # test_long_lives compares the marts, over fewer nights
        nights = Nights(sandbox, lived)
        for night in range(NIGHTS):
            nights.live(night)
        for scope in (_properties(lived), _assessments(lived)):
            sandbox.night()
            assert backfill(nights.settings, scope, policy=QUICK, call=lived.call).exit_code == 0
    counted: dict[str, int] = dict(lived.rows("select change, count(*) from history.assets group by all"))
    assert counted["delete"] > 60
    assert dict(lived.rows("select flow, count(*) from ops.runs group by all")) == {"nightly": NIGHTS, "backfill": 2}
    assert lived.rows("select count(*) from ops.runs where status = 'attention'")[0][0] >= len(range(3, NIGHTS, 10))
    before = lived.copy_of_published()
    assert lived.rebuild().exit_code == 0
    assert_same(before, lived.published)
    with duckdb.connect(before, read_only=True) as old:
        old.execute(f"attach '{lived.published}' as new (read_only)")
        for table in ("held_deletes", "sweeps", "run_resources"):
            assert old.execute(f"from ops.{table} except all from new.ops.{table}").fetchall() == []


def _properties(lived: Lived) -> Scope:
    rows = lived.rows("select property_id from assets group by all order by count(*) desc, 1 limit 3")
    return Scope(properties=tuple(one for (one,) in rows))


def _assessments(lived: Lived) -> Scope:
    rows = lived.rows("select assessment_id from assessments order by 1 limit 5")
    return Scope(assessments=tuple(one for (one,) in rows))
