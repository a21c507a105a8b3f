"""The table of what is hidden, by every place where it could show."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from kit.shared import Shared
from privacy.places import PLACES, Told, keep_told
from privacy.private import LINES, WORD, PrivateHome, quiet_night
from privacy.private import live as live_parts
from privacy.typed import TYPE_LINES, live_typed, quiet_typed

from propsync.runbooks import Report
from propsync.runbooks.notice import noticed

pytestmark = pytest.mark.slow
DELTA = "main,history,by_type,marts"
NOTIFIED = "https://example.org/hook"
Night = Callable[..., Report]


def _life(folder: Path, lines: tuple[str, ...], live: Callable[[PrivateHome], None], night: Night) -> None:
    """Nights with all outputs, of which the last one has Delta tables and a page of artifacts."""
    home, told = PrivateHome(folder / "home"), Told()
    home.hide(*lines)
    with told.heard():
        live(home)
        report = night(home, 3, delta=DELTA)
        noticed("nightly")(lambda _: report)(home.settings(notify_url=NOTIFIED))
    told.leave(home, report)
    keep_told(folder, told)


@pytest.fixture(scope="session")
def parts(shared: Shared) -> PrivateHome:
    """Fields and members are hidden."""
    return PrivateHome(shared.folder("places of parts", lambda to: _life(to, LINES, live_parts, quiet_night)) / "home")


@pytest.fixture(scope="session")
def types(shared: Shared) -> PrivateHome:
    """Whole types are hidden."""
    made = shared.folder("places of types", lambda to: _life(to, TYPE_LINES, live_typed, quiet_typed))
    return PrivateHome(made / "home")


@pytest.fixture(scope="session")
def nothing(shared: Shared) -> PrivateHome:
    """Nothing is hidden, so that each place has something to find."""
    return PrivateHome(shared.folder("places of all", lambda to: _life(to, (), live_typed, quiet_typed)) / "home")


@pytest.mark.parametrize("what", ["parts", pytest.param("types", marks=pytest.mark.release)])
@pytest.mark.parametrize("place", PLACES)
def test_no_place_shows_what_is_hidden(what: str, place: str, request: pytest.FixtureRequest) -> None:
    home = request.getfixturevalue(what)
    found = list(PLACES[place](home))
    assert found != []
    assert any(len(one) > 2 for one in found)
    if place == "logs":  # a look-up names the ids that it asks for
        found = [re.sub(rb"zqx([as]\d+|k\b)", b"", one) for one in found]
    assert [one[:200] for one in found if WORD in one] == []


@pytest.mark.release
@pytest.mark.parametrize("place", sorted({*PLACES} - {"notices", "logs", "artifacts"}))
def test_a_home_that_hides_nothing_shows_it_in_each_place(place: str, nothing: PrivateHome) -> None:
    assert any(WORD in one for one in PLACES[place](nothing))
