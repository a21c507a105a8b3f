"""Homes that were synced once, when all was well, and are copied for every seed that begins there."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from propsync_sandbox import RESOURCES, Entry, Sandbox
from propsync_sandbox.world import PROPERTIES

from .further import GROUND_TOML, PATH, write_toml
from .ground import SmallWorld
from .outcome import Order, Outcome
from .scenario import Scenario
from .watch import Window

TOKEN = "tok-of-simulation"
FIRST_RUN = datetime(2031, 1, 1, 2, tzinfo=UTC)
_PATHS = {"assets": "/properties/assets", "assessments": "/assessments", "schedules": "/assessments/schedules"}
_PATHS |= {PROPERTIES: PATH}


class Runner(Protocol):
    """Runs nights of one home."""

    home: Path

    def run(self, order: Order) -> Outcome:
        """One run, to its end or to its death."""


def ground_home(scenario: Scenario, runner: Runner, grounds: Path, name: str = "") -> Path:
    """The home of a ground, made when it is first asked for; `name` keeps those apart that are made in other ways."""
    has_list = scenario.further is not None and scenario.further.on_ground
    signed, listed = "-signed" if scenario.signed_links else "", "-listed" if has_list else ""
    home = grounds / f"{scenario.ground}{signed}{listed}{name}"
    if not home.exists():
        world = SmallWorld(scenario.ground, properties=has_list)
        if has_list:
            write_toml(runner.home, GROUND_TOML)
        with Sandbox(world=world, token=TOKEN, signed_links=scenario.signed_links) as sandbox:
            # in one page, so that links that change by themselves are found; half of the seeds know no documents
            settings = scenario.settings(sandbox.base_url, TOKEN, runner.home)
            settings |= {"PROPSYNC_PAGE_LIMIT": "100", "PROPSYNC_ARCHIVE_KINDS": "none"}
            outcome = runner.run(Order(settings, FIRST_RUN))
        if outcome.exit_code != 0:
            raise RuntimeError(f"a ground could not be made: {outcome}")
        runner.home.rename(home)
    return home


def first_window(world: SmallWorld, resources: Iterable[str] = RESOURCES) -> Window:
    """The view that a first run had of a world without changes."""
    entries = [
        Entry("GET", _PATHS[name], "", "", 200, records=tuple(world.shelf(name).records()), with_flags=True)
        for name in resources
    ]
    types = {"/properties/assets": world.asset_types, "/assessments/types": world.assessment_types}
    entries += [Entry("GET", path, "", "", 200, types=book.listed_json()) for path, book in types.items()]
    return Window("the first run", FIRST_RUN, entries=entries)
