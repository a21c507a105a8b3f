"""Landing of another home, copied in by mistake, becomes no part of this one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kit.comparing import assert_same
from kit.deaths import Killed
from kit.dialects import Dialect
from kit.home import Home
from kit.world import small_world
from kit.world_server import WorldServer

from propsync.errors import LandingForeign
from propsync.runbooks import Report
from propsync.runbooks.resource_sync import ResourceSync

FIRST = datetime(2026, 3, 2, 2, 30, tzinfo=UTC)


class Nights(Home):
    """A home that reads assets on numbered nights, from a server under a name of its own."""

    def night(self, number: int, **given: Any) -> Report:
        return self.sync(["assets"], now=FIRST + timedelta(days=number), **given)

    def copy_landing_to(self, other: Path) -> None:
        shutil.copytree(self.path / "landing", other / "landing", dirs_exist_ok=True)

    def without_state(self) -> None:
        for folder in ("state", "published"):
            shutil.rmtree(self.path / folder)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WorldServer]:
    """A server whose two names count as two services."""
    monkeypatch.setattr("propsync.settings.service.is_loopback", lambda _: False)
    with WorldServer(Dialect(small_world(assets=6, assessments=1, schedules=1))) as server:
        yield server


@pytest.fixture
def ours(server: WorldServer, tmp_path: Path) -> Nights:
    home = Nights(tmp_path / "ours", server.url)
    home.night(0)
    return home


@pytest.fixture
def theirs(server: WorldServer, tmp_path: Path) -> Nights:
    home = Nights(tmp_path / "theirs", elsewhere(server))
    server.world.assets.pop()
    home.night(1)
    return home


def elsewhere(server: WorldServer) -> str:
    return server.url.replace("127.0.0.1", "localhost")


@pytest.mark.slow
def test_a_rebuild_refuses_runs_of_another_service(ours: Nights, theirs: Nights) -> None:
    ours.night(2)
    before = ours.copy_of_published()
    theirs.copy_landing_to(ours.path)
    with pytest.raises(
        LandingForeign, match=r"runs that read http://localhost.* reads http://127\.0\.0\.1.*20260303T"
    ) as no:
        ours.rebuild()
    assert no.value.exit_code == 1
    assert_same(before, ours.published)
    for folder in (ours.path / "landing").glob("*/20260303T*"):
        shutil.rmtree(folder)
    assert ours.rebuild().left_behind == []
    assert_same(before, ours.published)


def test_a_sync_and_a_rebuild_without_state_refuse_them_too(ours: Nights, theirs: Nights) -> None:
    theirs.copy_landing_to(ours.path)
    with pytest.raises(LandingForeign, match="it has runs that read http://localhost"):
        ours.night(2)
    ours.without_state()
    with pytest.raises(LandingForeign, match="it has runs that read http://127"):
        ours.rebuild()


@pytest.mark.slow
def test_a_service_that_moved_is_rebuilt_without_a_word(ours: Nights, server: WorldServer) -> None:
    moved = elsewhere(server)
    assert ours.night(1, base_url=moved).exit_code == 3
    assert ours.rebuild(base_url=moved).left_behind == []
    ours.without_state()
    assert ours.rebuild(base_url=moved).left_behind == []
    assert ours.night(2, base_url=moved).left_behind == []


@pytest.mark.slow
def test_a_rebuild_says_if_all_of_landing_is_from_another_service(ours: Nights, server: WorldServer) -> None:
    ours.without_state()
    report = ours.rebuild(base_url=elsewhere(server))
    assert report.exit_code == 3
    assert [line.partition(", and")[0] for line in report.left_behind] == [f"the tables are from {server.url}"]


@pytest.mark.slow
def test_a_killed_run_on_a_wrong_service_is_told_of(
    ours: Nights, server: WorldServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(ResourceSync, "_merge", die)
        with pytest.raises(Killed):
            ours.night(1, base_url=elsewhere(server))
    assert any("earlier runs of this home read http://localhost" in line for line in ours.night(2).left_behind)
    assert ours.rebuild().left_behind == []


def test_snapshots_name_the_services_and_no_token(ours: Nights, server: WorldServer) -> None:
    ours.night(1, base_url=elsewhere(server))
    written = max((ours.path / "landing" / "assets").glob("*/manifest.json")).read_bytes()
    assert json.loads(written.partition(b"\n}")[0] + b"}")["apis"] == [server.url, elsewhere(server)]
    assert str(ours.usual["token"]).encode() not in written
