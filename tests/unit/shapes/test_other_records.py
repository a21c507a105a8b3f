"""Promises of finding roles and flags where the members of assessments have names that propsync does not know."""

import pytest

from propsync.resources import ASSESSMENT_TYPES, ASSESSMENTS
from propsync.shapes import UNREAD, Shape, find_roles, look_into_assessments
from propsync.shapes.flags import find_flag_history

KNOWN = {
    "property_ids": {str(number) for number in range(1, 20)},
    "assessment_type_ids": {"1", "2", "3"},
    "statuses": {"approved"},
}


def roles(*records):
    shape = Shape("assessments")
    find_roles(shape, ASSESSMENTS, [list(records)], KNOWN)
    return {part: choice.text for part, choice in shape.choices.items()}


def test_small_numbers_of_types_are_no_ids_of_properties():
    records = [{"id": f"as{at}", "art": str(1 + at % 3), "objekt": str(at)} for at in range(1, 10)]
    found = roles(*records)
    assert (found["property"], found["type"]) == ("objekt", "art")


def test_the_state_of_a_flag_is_no_status_of_its_assessment():
    flags = {"door": {"status": "open", "history": [{"status": "open"}]}}
    records = [{"id": f"as{at}", "propertyId": str(at), "typeId": "1", "flags": flags} for at in range(1, 10)]
    assert roles(*records)["status"] == ""


@pytest.mark.parametrize("key", ["identifier", "pruefId"])
def test_a_member_called_an_id_precedes_other_members_that_differ(key):
    beside = "reference" if key == "identifier" else "aktenzeichen"
    records = [{key: f"k{at}", beside: f"r{at}", "typeId": "1"} for at in range(1, 10)]
    assert roles(*records)["id"] == key


@pytest.mark.parametrize("other", ["scheduleId", "asset_id", "parentUid"])
def test_what_is_called_the_id_of_something_else_precedes_no_member_that_differs(other):
    records = [{"nummer": f"n{at}", other: f"x{at}", "typeId": "1"} for at in range(1, 10)]
    assert roles(*records)["id"] == "nummer"


@pytest.mark.parametrize("other", ["schedule", "vertrag"])
def test_an_id_in_an_object_precedes_no_member_of_the_record_that_differs(other):
    """Assessments got the keys of their schedules, with exit code 0."""
    records = [{"schluessel": f"n{at}", other: {"id": f"x{at}"}, "typeId": "1"} for at in range(1, 10)]
    assert roles(*records)["id"] == "schluessel"


def test_a_property_is_no_key_though_each_record_of_a_first_night_has_another():
    records = [{"vorgang": {"id": f"n{at}"}, "property": {"id": f"new{at}"}, "typeId": "1"} for at in range(1, 10)]
    assert roles(*records)["id"] == "vorgang.id"


def test_a_number_that_begins_with_a_year_is_no_moment():
    records = [{"kennung": f"2026-{at:04}", "userId": f"u{at}", "typeId": "1"} for at in range(1, 10)]
    assert roles(*records)["id"] == "kennung"


@pytest.mark.parametrize("said", [1690199160000, "23/05/2025", "https://x.example/1"])
def test_a_moment_or_a_link_is_no_id_beside_a_member_that_differs_too(said):
    """The alphabet chose `createdAt`, and each correction of it would have given an assessment a new key."""
    kinds = {int: lambda at: said + at, str: lambda at: f"1{at}{said[2:]}" if said[0] == "2" else f"{said}{at}"}
    records = [{"nummer": at + 70000, "angelegt": kinds[type(said)](at), "typeId": "1"} for at in range(1, 10)]
    assert roles(*records)["id"] == "nummer"


@pytest.mark.parametrize("name", ["location", "building", "asset"])
def test_a_property_in_an_object_is_found_by_its_name_on_a_first_night(name):
    """The last of the likely names was none where an object holds the id: assessments had no property in silence."""
    records = [{"id": f"as{at}", name: {"name": f"{at} High Street", "id": f"new{at}"}} for at in range(1, 10)]
    assert roles(*records)["property"] == f"{name}.id"


def test_a_cursor_is_no_id_though_the_one_in_the_node_has_an_unlikely_name():
    """A cursor changes with the list, so each change of the list gave assessments new keys."""
    records = [{"cursor": f"c{at}", "node": {"nummer": f"n{at}", "typeId": "1"}} for at in range(1, 10)]
    assert roles(*records)["id"] == "node.nummer"


@pytest.mark.parametrize("own", ["nummer", "kennung", "zeichen"])
def test_the_property_of_each_assessment_is_not_its_id_though_it_differs(own):
    records = [{own: f"n{at}", "objektId": str(at), "typeId": "1"} for at in range(1, 10)]
    found = roles(*records)
    assert (found["id"], found["property"]) == (own, "objektId")


def test_small_numbers_of_assessment_types_are_their_ids_though_properties_have_such_too():
    shape = Shape("assessment_types")
    records = [{"artId": at, "wortlaut": word} for at, word in enumerate(("Brand", "Asbest", "Gas"), start=1)]
    find_roles(shape, ASSESSMENT_TYPES, [records], KNOWN)
    assert shape.choices["id"].text == "artId"


def test_a_flag_in_an_object_beside_its_id_has_a_history():
    shape = Shape("assessments")
    flag = {"id": "fl1", "flag": {"title": "Leak", "verlauf": [{"status": "open"}]}}
    find_flag_history(shape, [{"id": "a", "flags": [flag]}])
    assert shape.choices["flag_history"].text == "flag.verlauf"


@pytest.mark.parametrize("record", [{"flags": 0}, {"counts": {"flags": 0, "actions": 2}}])
def test_a_count_of_no_flags_is_none_that_cannot_be_read(record):
    """Without any flag, each night of such a server ended with exit code 3."""
    shape = Shape("assessments")
    look_into_assessments(shape, [record | {"id": f"as{at}"} for at in range(9)])
    assert not [part for part, choice in shape.choices.items() if choice.source == UNREAD]


def test_the_name_of_a_category_is_no_name_of_the_types_in_it():
    """All types in it got its name, with exit code 0. One that differs in each type may be in an object with an id."""
    shape = Shape("assessment_types")
    words = ["Brandschutz", "Aufzug", "Legionellen"]
    of_one = [{"id": f"t{at}", "bez": word, "gruppe": {"id": "g1", "name": "A"}} for at, word in enumerate(words)]
    find_roles(shape, ASSESSMENT_TYPES, [of_one], KNOWN)
    assert (shape.paths("name"), shape.choices["name"].source) == ((), UNREAD)
    own = [{"id": f"t{at}", "template": {"id": f"v{at}", "name": word}} for at, word in enumerate(words)]
    find_roles(shape, ASSESSMENT_TYPES, [own], KNOWN)
    assert shape.paths("name") == (("template", "name"),)


@pytest.mark.parametrize("of", ["data", "template"])
def test_a_name_that_two_types_have_may_be_in_an_object_with_the_id_of_each(of):
    """Two types had one name, and no type had a name any more."""
    records = [{"id": f"t{at}", of: {"id": f"v{at}", "name": name}} for at, name in enumerate(["Fire", "Fire", "Lift"])]
    shape = Shape("assessment_types")
    find_roles(shape, ASSESSMENT_TYPES, [records], KNOWN)
    assert shape.paths("name") == ((of, "name"),)


def test_the_name_of_a_template_is_that_of_its_versions_if_they_have_no_other():
    records = [{"id": f"t{at}", "template": {"id": f"v{at // 2}", "name": f"Fire {at // 2}"}} for at in range(6)]
    shape = Shape("assessment_types")
    find_roles(shape, ASSESSMENT_TYPES, [records], KNOWN)
    assert shape.paths("name") == (("template", "name"),)
