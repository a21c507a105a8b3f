"""A service that begins to sign its links makes no new versions, and edits of very many records are still seen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from kit.comparing import assert_same
from kit.dialects import Dialect
from kit.encoding import Literal
from kit.home import moved
from kit.kept import KeptHomes
from kit.world import World, small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer

from propsync.cli.status.command import print_status
from propsync.sweep import find_new_volatile, page_reader

_WAITS = page_reader.SIGNED_SECONDS  # before other tests do without


class SignedLater(Dialect):
    """Every record has a link; once `signs` is set, each answer signs it in its own way."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.signs: Iterator[int] | None = None

    def _signed(self, record: dict[str, Any]) -> dict[str, Any]:
        signature = "" if self.signs is None else f"?signature={next(self.signs)}"
        return record | {"links": {"page": f"https://files.example/{record.get('id', 'schedule')}{signature}"}}

    def asset(self, one: Any) -> dict[str, Any]:
        return self._signed(super().asset(one))

    def assessment(self, one: Any) -> dict[str, Any]:
        return self._signed(super().assessment(one))

    def schedule(self, one: Any) -> dict[str, Any]:
        return self._signed(super().schedule(one))


@pytest.fixture
def server() -> Iterator[WorldServer]:
    with WorldServer(SignedLater(small_world(assets=130, assessments=60, schedules=31))) as running:
        yield running


@pytest.fixture
def dialect(server: WorldServer) -> SignedLater:
    assert isinstance(server.dialect, SignedLater)
    return server.dialect


@pytest.fixture
def home(server: WorldServer, tmp_path: Path, kept: KeptHomes) -> WorldHome:
    made = WorldHome(tmp_path / "home", server)
    kept.copied("before links are signed", made.path, lambda _: made.sync())
    assert made.rows("select status from ops.runs") == [("ok",)]
    return made


def changes(home: WorldHome) -> list[tuple[Any, ...]]:
    return home.rows("select resource, before, after from ops.schema_changes where change = 'volatile' order by all")


@pytest.mark.release
def test_links_that_are_signed_from_the_second_night_on_make_no_new_version(
    home: WorldHome, dialect: SignedLater
) -> None:
    dialect.signs = count()
    report = home.sync()
    assert (report.exit_code, moved(report)) == (0, {})
    assert changes(home) == [(name, None, "links.page") for name in ("assessments", "assets", "schedules")]
    assert moved(home.sync()) == {}
    assert len(changes(home)) == 3


@pytest.mark.release
def test_further_readings_cost_two_requests_and_only_on_the_night_that_needs_them(
    home: WorldHome, dialect: SignedLater, server: WorldServer
) -> None:
    def schedules_asked() -> int:
        before = len(server.requests)
        home.sync()
        pages = [query for path, query in server.requests[before:] if path == "/assessments/schedules"]
        return len([query for query in pages if query["limit"] != "1" and query["page"] == "1"])

    server.world.schedules[0].description = "an edit"
    assert schedules_asked() == 1
    dialect.signs = count()
    assert schedules_asked() == 3  # the second reading differs, and the third one tells


@pytest.mark.release
def test_edits_of_all_records_are_seen_on_the_night_on_which_links_are_signed(
    home: WorldHome, dialect: SignedLater, server: WorldServer
) -> None:
    edited = server.world.assets[::2]
    for asset in edited:
        asset.extra = {"serial": Literal("7")}
    dialect.signs = count()
    assert moved(home.sync()) == {"assets": (0, len(edited))}
    assert {after for _, _, after in changes(home)} == {"links.page"}


@pytest.mark.slow
def test_edits_of_all_records_are_never_taken_for_signatures(home: WorldHome, server: WorldServer) -> None:
    for schedule in server.world.schedules:
        schedule.description = f"{schedule.description} again"
    for asset in server.world.assets:
        asset.extra = {"serial": Literal("7")}
    assert moved(home.sync()) == {"assets": (0, 130), "schedules": (0, len(server.world.schedules))}
    assert changes(home) == []


@pytest.mark.release
def test_a_rebuild_tells_the_same(home: WorldHome, dialect: SignedLater) -> None:
    dialect.signs = count()
    home.sync()
    home.sync()
    before = home.copy_of_published()
    told = changes(home)
    assert home.rebuild().exit_code == 0
    assert_same(before, home.published)
    assert changes(home) == told


@pytest.mark.slow
def test_what_people_set_as_volatile_stays_as_they_set_it(home: WorldHome, dialect: SignedLater) -> None:
    (home.path / "propsync.toml").write_text("[shapes]\nvolatile = []\n")
    dialect.signs = count()
    assert moved(home.sync())["assets"] == (0, 130)
    assert changes(home) == []


@pytest.mark.slow
def test_status_says_which_members_are_volatile_from_now_on(
    home: WorldHome, dialect: SignedLater, capsys: pytest.CaptureFixture[str]
) -> None:
    dialect.signs = count()
    run = home.sync().run_id
    capsys.readouterr()
    print_status(home.settings(), None, as_json=False)
    line = f"Volatile since run {run}: links.page of schedules; differences there do not count as changes"
    assert line in capsys.readouterr().out.splitlines()


@pytest.mark.release
def test_links_that_two_readings_show_alike_cannot_be_known(home: WorldHome, dialect: SignedLater) -> None:
    """A signature for the whole night looks like an edit: its versions are kept rather than a change lost."""
    for night in ("first", "second"):
        dialect.signs = iter(lambda night=night: night, None)  # type: ignore[arg-type, misc]
        assert moved(home.sync())["assets"] == (0, 130)
    assert changes(home) == []


@pytest.mark.slow
def test_a_signature_that_names_its_second_is_found(
    home: WorldHome, dialect: SignedLater, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_reader, "SIGNED_SECONDS", _WAITS)
    dialect.signs = iter(lambda: int(time.time()), None)
    assert moved(home.sync()) == {}
    assert changes(home) == [(name, None, "links.page") for name in ("assessments", "assets", "schedules")]


class Uncounted(SignedLater):
    """Once links are signed, the total of all assessments together is wrong, in its own way each time."""

    wrong = count(1_000)

    def assessments_body(self, total: int, records: list[Any]) -> Any:
        is_of_all = self.signs is not None and len(records) == 1 < total
        return super().assessments_body(next(self.wrong) if is_of_all else total, records)


@pytest.mark.slow
def test_a_rebuild_reads_no_answer_that_a_sweep_did_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uncounted = Uncounted(small_world(assets=3, assessments=30, schedules=3))

    def later(swept: Any) -> frozenset[str]:
        del uncounted.world.assessments[0]
        for one in uncounted.world.assessments:
            one.extra = {"edited": Literal("1")}
        return find_new_volatile(swept)

    monkeypatch.setattr("propsync.runbooks.resource_sync.find_new_volatile", later)
    with WorldServer(uncounted) as server:
        home = WorldHome(tmp_path / "home", server)
        home.sync()
        uncounted.signs = count()
        assert home.sync().exit_code == 3
        before = home.copy_of_published()
        assert home.rebuild().exit_code == 0
        assert_same(before, home.published)
