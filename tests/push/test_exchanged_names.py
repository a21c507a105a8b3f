"""A name that a file has from before never becomes the one who has it now: a field, an option or a user."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kit.dialects import Dialect
from kit.server import TOKEN
from kit.world_home import WorldHome
from kit.world_server import WorldServer
from push.corrections import corrections_world, csv_file, planned

from propsync.api import Api, TokenSource
from propsync.errors import NamesChanged, UsageError
from propsync.push.journals.journal import WriteJournal
from propsync.push.plan import Plan
from propsync.push.sending.shapes import Answers
from propsync.push.values.exchanged import renamed_since
from propsync.push.values.published import Published
from propsync.runbooks.push.apply import apply
from propsync.runbooks.push.plans import Wanted, make_template
from propsync.runbooks.push.tables import open_tables
from propsync.storage import LocalStorage
from propsync.suppression import Suppression

USERS = "user_id,name\nu1,Ann Lee\nu2,Ben Orr\nu3,Cy Fox\n"
EXCHANGED = "user_id,name\nu1,Cy Fox\nu2,Ben Orr\nu3,Ann Lee\n"


class Office:
    """Doors and schedules, and a list of users."""

    def __init__(self, folder: Path, server: WorldServer) -> None:
        self.folder = folder
        self.home = WorldHome(folder / "home", server)
        self.home.path.mkdir()
        (self.home.path / "propsync.toml").write_text('[reference]\nusers = "users.csv"\n')
        self.users(USERS)

    def users(self, listed: str) -> None:
        (self.home.path / "users.csv").write_text(listed)
        assert self.home.sync(["assets", "schedules"]).exit_code == 0

    def template(self, resource: str) -> Path:
        path = self.folder / f"{resource}.csv"
        path.unlink(missing_ok=True)
        make_template(self.home.settings(), resource, "Doors" if resource == "assets" else None, (), path)
        return path

    def plan(self, path: Path, of_type: str | None = None) -> Plan:
        return planned(self.home, self.folder, Wanted(path.stem, path, of_type=of_type))


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with WorldServer(Dialect(corrections_world())) as server:
        yield Office(tmp_path, server)


def test_an_old_template_assigns_nobody_after_two_users_have_exchanged_names(office: Office) -> None:
    path = office.template("schedules")
    office.users(EXCHANGED)
    plan = office.plan(path)
    assert plan.entries == []
    assert {one.found for one in plan.refused} == {"Ann Lee; Ben Orr"}
    assert plan.refused[0].reason == (
        "Ann Lee was the name of another user when the file was made: write the id, or make a new template"
    )
    office.users(USERS)
    assert (office.plan(path).entries, office.plan(path).refused) == ([], [])
    assert office.plan(office.template("schedules")).refused == []


def test_a_name_that_one_user_gave_to_another_is_refused_until_the_id_is_written(office: Office) -> None:
    path = office.template("schedules")
    office.users("user_id,name\nu1,Ann Lee\nu2,Ben Orr\nu9,CY FOX \n")
    run = path.read_text(encoding="utf-8-sig").splitlines()[0].rpartition("#run ")[2].strip('"')
    header = ["property_id", "assessment_type_id", "assigned_users", f"#run {run}"]
    csv_file(path, header, ["p0", "k-fire", "cy fox", ""], ["p1", "k-fire", "u9", ""], ["p2", "k-fire", "Ann Lee", ""])
    plan = office.plan(path)
    assert [(one.row, one.found) for one in plan.refused] == [(2, "cy fox")]
    assert [(one.key[0], one.changes[0].new) for one in plan.entries] == [("p1", ["u9"]), ("p2", ["u1"])]


def test_an_old_template_chooses_nothing_after_two_options_have_exchanged_labels(office: Office) -> None:
    path = office.template("assets")
    kind = office.home.server.world.type("t-doors").field("f-type")
    kind.options = (("k1", "Double"), ("k2", "Single"))
    office.users(USERS)
    plan = office.plan(path)
    assert plan.entries == []
    assert {one.found for one in plan.refused} == {"Single"}


def test_an_old_template_is_refused_after_two_fields_have_exchanged_labels(office: Office) -> None:
    path = office.template("assets")
    doors = office.home.server.world.type("t-doors")
    doors.field("f-tag").label, doors.field("f-at").label = "At", "Tag"
    office.users(USERS)
    with pytest.raises(UsageError, match="was the label of another field when the file was made"):
        office.plan(path)


def test_a_plan_is_not_sent_after_a_name_in_it_has_changed(office: Office) -> None:
    """A person has reviewed it by that name; a name without part in the plan changes nothing."""
    doors, schedules = office.folder / "doors.csv", office.folder / "people.csv"
    csv_file(doors, ["asset_id", "type", "at"], ["a-door01", "Double", ""], ["a-door02", "", "10:00"])
    csv_file(schedules, ["property_id", "assessment_type_id", "assigned_users"], ["p0", "k-fire", "Cy Fox"])
    plans = [planned(office.home, office.folder, Wanted(*one)) for one in (("assets", doors), ("schedules", schedules))]
    doors_now = office.home.server.world.type("t-doors")
    doors_now.field("f-type").options = (("k1", "Double"), ("k2", "Single"))
    doors_now.field("f-tag").label, doors_now.field("f-at").label = "At", "Tag"
    office.users(EXCHANGED.replace("Ben Orr", "Benjamin Orr"))
    for plan, places in zip(plans, ("row 2, Type; row 3, At", "row 2, Assigned users"), strict=True):
        with pytest.raises(UsageError, match=f"names in it have changed: {places}[.] Run"):
            apply(office.home.settings(), plan)
    WriteJournal(LocalStorage(office.home.path), plans[0], Suppression(None, [])).close()  # a part may be sent
    with pytest.raises(UsageError, match="Apply it with --give-up"):
        apply(office.home.settings(), plans[0])
    csv_file(schedules, ["property_id", "assessment_type_id", "assigned_users"], ["p0", "k-fire", "Cy Fox"])
    again = planned(office.home, office.folder, Wanted("schedules", schedules))
    with open_tables(office.home.settings()) as reader:
        assert renamed_since(Published(reader), again) == []


def _relabelled(office: Office) -> None:
    office.home.server.world.type("t-doors").field("f-type").options = (("k1", "Double"), ("k2", "Single"))


def _fields_exchanged(office: Office) -> None:
    doors = office.home.server.world.type("t-doors")
    doors.field("f-tag").label, doors.field("f-at").label = "At", "Tag"


def _types_exchanged(office: Office) -> None:
    doors, lifts = (office.home.server.world.type(one) for one in ("t-doors", "t-lifts"))
    doors.name, lifts.name = lifts.name, doors.name


@pytest.mark.parametrize(
    ("exchange", "place"),
    [(_relabelled, "row 2, Type"), (_fields_exchanged, "row 3, At"), (_types_exchanged, "row 4, its type")],
)
@pytest.mark.parametrize("has_begun", [False, True])
def test_a_plan_is_not_sent_after_the_api_has_changed_a_name_that_no_sync_has_seen(
    office: Office, exchange: Callable[[Office], None], place: str, *, has_begun: bool
) -> None:
    path = office.folder / "doors.csv"
    header = ["asset_id", "property_id", "asset_type", "Type", "At"]
    csv_file(path, header, ["a-door01", "", "", "Double", ""], ["a-door02", "", "", "", "10:00"], ["", "p0", "Doors"])
    plan = planned(office.home, office.folder, Wanted("assets", path))
    exchange(office)
    journal = WriteJournal(LocalStorage(office.home.path), plan, Suppression(None, []))
    if has_begun:
        journal.left(0)
    journal.leave()
    then = "then apply it with --give-up" if has_begun else "then plan again"
    with pytest.raises(NamesChanged, match=f"the API has changed names in it: {place}[.] Run `propsync sync`, {then}"):
        apply(office.home.settings(), plan)
    office.users(USERS)
    with pytest.raises(UsageError, match=f"names in it have changed: {place}[.]"):
        apply(office.home.settings(), plan)


def test_names_that_are_merely_corrected_change_nothing(office: Office) -> None:
    path = office.folder / "doors.csv"
    csv_file(
        path, ["asset_id", "property_id", "asset_type", "Type"], ["a-door01", "", "", "Double"], ["", "p0", "Doors"]
    )
    plan = planned(office.home, office.folder, Wanted("assets", path))
    doors = office.home.server.world.type("t-doors")
    doors.name, doors.field("f-type").label = "Fire doors", "Kind"
    doors.field("f-type").options = (("k1", "Single leaf"), ("k2", " double"))
    with open_tables(office.home.settings()) as reader:
        names = Answers.published(reader, {}, Suppression(None, []), plan, ()).assets.names
    with Api(str(office.home.usual["base_url"]), TokenSource(TOKEN)) as api:
        assert names.renamed(api, plan.entries) == []
