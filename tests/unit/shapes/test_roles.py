"""Promises of role finding: the values say which member is an id, property, type or status; names only break ties."""

import pytest

from propsync.errors import SettingsError, ShapeUnknown
from propsync.resources import ASSESSMENT_TYPES, ASSESSMENTS, ASSETS, BUILT_IN, SCHEDULES
from propsync.shapes import UNREAD, Choice, Shape, choice_ids, configured, find_roles, look_into_schedules

KNOWN = {
    "property_ids": {"p1", "p2"},
    "assessment_type_ids": {"t1", "t2", "7"},
    "statuses": {"approved", "submitted"},
}


def roles(resource, *records, known=KNOWN, shape=None):
    shape = shape or Shape(resource.name)
    find_roles(shape, resource, [records], known)
    return shape


def assessments(**columns):
    """Records from columns of equal length."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


PLAIN = {
    "id": ["a1", "a2", "a3"],
    "property": ["p1", "p1", "p2"],
    "type": ["t1", "t2", "t1"],
    "status": ["approved", "approved", "submitted"],
}


def test_the_plain_case_is_found():
    shape = roles(ASSESSMENTS, *assessments(**PLAIN))
    found = {role: shape.paths(role) for role in ("id", "property", "type", "status")}
    assert found == {"id": (("id",),), "property": (("property",),), "type": (("type",),), "status": (("status",),)}
    assert all(shape.choices[role].source == "found" for role in found)


@pytest.mark.parametrize(
    ("changes", "role", "path"),
    [
        pytest.param({"id": ["x", "x", "x"], "uid": [1, 2, 3]}, "id", ("uid",), id="an id that repeats is none"),
        pytest.param({"id": [None, "b", "c"], "key": ["k1", "k2", "k3"]}, "id", ("key",), id="nor one that lacks"),
        pytest.param({"id": [{"v": n} for n in "abc"]}, "id", ("id", "v"), id="an id inside an object"),
        pytest.param(
            {"property": [{"id": p, "n": p * 2} for p in ("p1", "p2", "p2")]},
            "property",
            ("property", "id"),
            id="object",
        ),
        pytest.param(
            {"property": ["x", "y", "z"], "where": ["p1", "p2", "p1"]}, "property", ("where",), id="by its values"
        ),
        pytest.param({"type": ["q", "q", "q"], "form": [7, 7, 7]}, "type", ("form",), id="a type that is a number"),
        pytest.param(
            {"status": ["x", "y", "z"], "phase": ["approved"] * 3}, "status", ("phase",), id="a status by values"
        ),
    ],
)
def test_values_beat_names(changes, role, path):
    shape = roles(ASSESSMENTS, *assessments(**(PLAIN | changes)))
    assert shape.paths(role) == (path,)
    assert shape.choices[role].source == "found"


MANY = range(40)
SOME = {
    "property_ids": {f"p{n}" for n in MANY if n < 24},  # others have assessments and no assets
    "assessment_type_ids": {"t0", "t1"},
    "statuses": {"approved", "submitted"},
}
USUAL = {
    "id": [f"a{n}" for n in MANY],
    "property": [f"p{n}" for n in MANY],
    "type": [f"t{n % 3}" for n in MANY],
    "status": ["approved", "submitted", "rejected", "withdrawn"] * 10,
}


@pytest.mark.parametrize(
    ("changes", "role", "path"),
    [
        pytest.param({"block": ["p1", *[None] * 39]}, "property", ("property",), id="a rare property"),
        pytest.param({"previous": ["approved", *[None] * 39]}, "status", ("status",), id="a rare status"),
        pytest.param({"block": ["p1"] * 40}, "property", ("property",), id="the block that a property is in"),
        pytest.param(
            {"property": [{"id": f"p{n}", "parentId": "p1"} for n in MANY]},
            "property",
            ("property", "id"),
            id="a parent in the object",
        ),
        pytest.param(
            {"type": [{"id": f"t{n % 3}", "base": "t1"} for n in MANY]}, "type", ("type", "id"), id="the base of a type"
        ),
    ],
)
def test_a_member_that_names_something_above_or_before_takes_no_role(changes, role, path):
    shape = roles(ASSESSMENTS, *assessments(**(USUAL | changes)), known=SOME)
    assert shape.paths(role) == (path,)
    assert shape.choices[role].source == "found"


@pytest.mark.parametrize("resource", [ASSESSMENTS, SCHEDULES], ids=["assessments", "schedules"])
@pytest.mark.parametrize("words", [("approved", "submitted"), ("Approved", "SUB-MITTED")], ids=["as is", "for people"])
def test_the_status_in_an_object_is_the_word_that_the_filter_takes(resource, words):
    states = [{"id": 4, "name": words[0]}, {"id": 3, "name": words[1]}, {"id": 4, "name": words[0]}]
    shape = roles(resource, *assessments(**(PLAIN | {"status": states})))
    assert shape.paths("status")[0] == ("status", "name")


def test_ids_are_found_in_the_relationships_of_json_api():
    def record(key, building, of_type):
        related = {
            "site": {"data": {"type": "site", "id": building}},
            "form": {"data": {"type": "form", "id": of_type}},
        }
        return {"type": "assessment", "id": key, "attributes": {"status": "approved"}, "relationships": related}

    shape = roles(ASSESSMENTS, record("a1", "p1", "t1"), record("a2", "p1", "t2"), record("a3", "p2", "t1"))
    assert shape.paths("property") == (("relationships", "site", "data", "id"),)
    assert shape.paths("type") == (("relationships", "form", "data", "id"),)
    assert (shape.paths("id"), shape.paths("status")) == ((("id",),), (("attributes", "status"),))


def test_a_schedule_keeps_its_key_when_a_property_is_new():
    records = [{"property": {"id": f"p{n}", "parentId": "p1"}, "type": "t1"} for n in MANY]
    first = roles(SCHEDULES, *records, known={})
    assert first.paths("property")[0] == ("property", "id")
    known = {"property_ids": {f"p{n}" for n in MANY}}
    newer = [*records, {"property": {"id": "p40", "parentId": "p1"}, "type": "t1"}]
    assert roles(SCHEDULES, *newer, known=known, shape=first).paths("property")[0] == ("property", "id")


@pytest.mark.parametrize("others", [[7, 9, 4], ["Check of 7", "Check of 9", "Check of 4"], ["/a/7", "/a/9", "/a/4"]])
def test_of_unlikely_members_that_differ_everywhere_the_text_called_id_is_the_id(others):
    columns = {name: PLAIN[name] for name in ("property", "type", "status")}
    inner = [{"id": text} for text in ("a1", "a2", "a3")]
    assert roles(ASSESSMENTS, *assessments(**columns, count=others, self=inner)).paths("id") == (("self", "id"),)


@pytest.mark.parametrize("own", ["_id", "ID"])
def test_a_servers_own_id_is_not_the_id_beside_one(own):
    records = assessments(**({own: ["m1", "m2", "m3"]} | PLAIN))
    in_objects = [one | {"property": {own: f"m{one['property']}", "id": one["property"]}} for one in records]
    shape = roles(ASSESSMENTS, *in_objects, known={})
    assert (shape.paths("id"), shape.paths("property")[0]) == ((("id",),), ("property", "id"))
    schedules = [one | {"type": {own: f"m{one['type']}", "id": one["type"]}} for one in in_objects]
    shape = roles(SCHEDULES, *schedules, known={})
    assert (shape.paths("property")[0], shape.paths("type")[0]) == (("property", "id"), ("type", "id"))
    listed = [{own: "m1", "id": "t1", "name": "Fire"}, {own: "m2", "id": "t2", "name": "Gas"}]
    assert roles(ASSESSMENT_TYPES, *listed).paths("id") == (("id",),)


def test_a_text_that_differs_everywhere_is_not_preferred_to_an_id():
    columns = PLAIN | {
        "title": ["Fire door A", "Fire door B", "Fire door C"],
        "at": ["2026-01-01", "2026-01-02", "2026-01-03"],
    }
    columns["number"] = columns.pop("id")
    assert roles(ASSESSMENTS, *assessments(**columns)).paths("id") == (("number",),)


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({"id": None}, id="a null"),
        pytest.param({"id": "a3"}, id="the id of another"),
        pytest.param({"id": {"a": 1}}, id="an object"),
    ],
)
@pytest.mark.parametrize("other", ["reference", "number", "createdAt"])
@pytest.mark.parametrize("count", [4, 12, 40])
def test_one_odd_record_does_not_make_an_id_of_something_else(odd, other, count):
    records = [{"id": f"a{n}", other: f"r{n}", "property": "p1", "type": "t1"} for n in range(count)]
    records[-1] |= odd
    assert roles(ASSESSMENTS, *records).paths("id") == (("id",),)
    types = [{"id": f"t{n}", "name": f"Type {n}"} for n in range(count // 2)]
    assert roles(ASSESSMENT_TYPES, *types, {"name": "Type without an id"}).paths("id") == (("id",),)


@pytest.mark.parametrize("odd", [{}, {"id": None}], ids=["each has an id", "one has none"])
@pytest.mark.parametrize("resource", [ASSESSMENTS, ASSESSMENT_TYPES], ids=lambda one: one.name)
def test_the_cursor_of_an_edge_is_no_id(resource, odd):
    nodes = [{"id": f"s{n}", "name": f"Fire risk {n}"} for n in range(12)]
    nodes[5] |= odd
    edges = [{"cursor": f"c{n}", "node": one} for n, one in enumerate(nodes)]
    assert roles(resource, *edges).paths("id") == (("node", "id"),)


def test_a_member_may_be_called_node_and_hold_a_text():
    records = [{"id": f"s{n}", "name": f"Fire risk {n}", "node": f"n{n}"} for n in range(12)]
    assert roles(ASSESSMENT_TYPES, *records).paths("id") == (("id",),)


@pytest.mark.parametrize("own", ["pruefungId", "keuring_id"])
def test_a_reference_and_an_id_that_both_differ_in_each_record_are_never_guessed(own):
    """The reference was the key, so that look-ups found no assessment and deletes were held for good."""
    records = [
        {"reference": f"REF-{n}", own: f"as-{n}", "property": f"p{n % 2}", "type": "t1", "flowId": "x"}
        for n in range(5)
    ]
    with pytest.raises(ShapeUnknown, match=f"reference and {own} differ in each record") as refused:
        roles(ASSESSMENTS, *records)
    assert f"[shapes.assessments] id = '{own}'" in refused.value.next_step
    assert roles(ASSESSMENTS, *records[:4]).paths("id") == (("reference",),)  # in a few, each is different by chance
    types = [{"code": f"c{n}", "templateId": f"x{n}"} for n in range(8)]
    assert roles(ASSESSMENT_TYPES, *types).paths("id") == (("code",),)  # a check compares them with assessments
    repeated = [record | {own: "as-0"} if n == 1 else record for n, record in enumerate(records)]
    assert roles(ASSESSMENTS, *repeated).paths("id") == (("reference",),)


@pytest.mark.parametrize("other", [("assessmentId",), ("parent", "assessmentId"), ("ref", "id")], ids=".".join)
@pytest.mark.parametrize("count", [4, 12, 40])
def test_a_reference_in_each_record_is_the_id_where_one_lacks_that_of_a_parent(other, count):
    records: list[dict[str, object]] = [{"reference": f"r{n}", "property": "p1", "type": "t1"} for n in range(count)]
    for number, record in enumerate(records[1:]):
        record[other[0]] = f"a{number}" if len(other) == 1 else {other[1]: f"a{number}"}
    assert roles(ASSESSMENTS, *records).paths("id") == (("reference",),)


@pytest.mark.parametrize("count", [1, 2, 8])
def test_records_in_two_versions_on_a_page_do_not_make_an_id_of_their_reference(count):
    told = [{"id": f"a{n // 2}", "scheduleCustomReference": f"r{n}"} for n in range(2 * count)]
    assert roles(ASSESSMENTS, *told).paths("id") == (("id",),)


def test_one_record_on_two_pages_still_has_an_id():
    shape = Shape("assessments")
    records = assessments(**PLAIN)
    find_roles(shape, ASSESSMENTS, [records, records[:1]], KNOWN)
    assert shape.paths("id") == (("id",),)


def test_a_name_without_values_that_speak_is_called_likely():
    shape = roles(ASSESSMENTS, *assessments(**PLAIN), known={})
    assert shape.choices["property"].source == "likely"
    assert shape.paths("property") == (("property",),)


def test_a_role_that_nothing_speaks_for_is_absent_and_no_guess():
    columns = {name: PLAIN[name] for name in ("id", "type")}
    shape = roles(ASSESSMENTS, *assessments(**columns))
    assert shape.choices["status"].source == "absent"
    assert not shape.paths("status")


@pytest.mark.parametrize(
    ("resource", "record", "named"),
    [
        (ASSETS, {"uid": "a", "type": "t"}, "'id'"),
        (ASSETS, {"id": "a"}, "'type'"),
        (SCHEDULES, {"type": "t"}, "'property' or 'asset'"),
        (SCHEDULES, {"property": "p"}, "'type'"),
        (ASSESSMENTS, {"n": None}, "the id"),
        (ASSESSMENT_TYPES, {"n": []}, "the id"),
    ],
)
def test_a_key_that_no_record_has_fails_loudly_and_says_where_to_name_it(resource, record, named):
    with pytest.raises(ShapeUnknown, match=named) as caught:
        roles(resource, record)
    assert f"[shapes.{resource.name}]" in caught.value.next_step


def test_a_documented_member_may_be_a_text_in_one_record_and_an_object_in_another():
    shape = roles(SCHEDULES, {"property": "p1", "type": {"name": "x", "id": "t1"}}, {"asset": "p2", "type": "t2"})
    assert shape.paths("property")[:2] == (("property",), ("asset",))
    assert shape.paths("type")[:2] == (("type",), ("type", "id"))


def test_in_an_object_that_stands_for_a_property_the_known_id_is_its_id():
    record = {"id": "a", "type": "t", "property": {"id": "row 5", "uprn": "p1"}}
    assert roles(ASSETS, record).paths("property")[0] == ("property", "uprn")


def test_ids_may_be_objects_as_mongodb_writes_them():
    """With no other id, the days or the names of records became their keys."""
    records = [{"_id": {"$oid": f"65f{n}"}, "name": f"Fire {n}", "performedAt": f"2026-01-0{n}"} for n in range(1, 6)]
    for resource in (ASSESSMENT_TYPES, ASSESSMENTS):
        assert roles(resource, *records).paths("id") == (("_id", "$oid"),)


def test_without_records_nothing_is_settled():
    assert roles(ASSETS).choices == {}
    assert roles(ASSETS, "text", 7, None).choices == {}


def test_what_was_found_stays_while_a_record_carries_it():
    shape = roles(ASSESSMENTS, *assessments(**PLAIN))
    roles(ASSESSMENTS, *assessments(**(PLAIN | {"uid": ["u1", "u2", "u3"], "id": ["b", None, None]})), shape=shape)
    assert shape.paths("id") == (("id",),)
    moved = {name: values for name, values in PLAIN.items() if name != "id"} | {"uid": ["u1", "u2", "u3"]}
    roles(ASSESSMENTS, *assessments(**moved), shape=shape)
    assert shape.paths("id") == (("uid",),)


@pytest.mark.parametrize(
    ("changed", "role", "paths"),
    [
        pytest.param({"propertyId": "p2"}, "property", (("property",), ("propertyId",)), id="known values"),
        pytest.param({"propertyId": "p9"}, "property", (("property",), ("propertyId",)), id="nearly the same name"),
        pytest.param(
            {"property": {"uid": "p2", "name": "n"}}, "property", (("property",), ("property", "uid")), id="an object"
        ),
        pytest.param({"state": "approved"}, "status", (("status",), ("state",)), id="a status"),
        pytest.param({"previous": "p1"}, "property", (("property",),), id="one value by chance"),
        pytest.param({"location": "Roof"}, "property", (("property",),), id="an unknown value under another name"),
        pytest.param({"property": None, "propertyId": "p1"}, "property", (("property",), ("propertyId",)), id="a null"),
        pytest.param({"property": "", "propertyId": "p1"}, "property", (("property",), ("propertyId",)), id="empty"),
        pytest.param({"property": None, "site": "p1"}, "property", (("property",),), id="a null is an answer"),
        pytest.param({"uid": "u9"}, "id", (("id",),), id="an id stays one member"),
    ],
)
def test_a_role_may_have_further_places_in_records_without_the_first(changed, role, paths):
    records = assessments(**PLAIN)
    kept = {name: value for name, value in PLAIN.items() if name != role}
    other = assessments(**kept)[2] | ({"id": "a4"} if role != "id" else {}) | changed
    shape = roles(ASSESSMENTS, *records)
    assert shape.paths(role) == paths[:1]
    roles(ASSESSMENTS, *records, other, shape=shape)
    assert shape.paths(role) == paths
    assert roles(ASSESSMENTS, *records, other).paths(role) == paths or role == "id"


def test_a_member_that_contradicts_the_first_is_no_further_place():
    records = assessments(**(PLAIN | {"ownerId": ["p2", "p2", "p1"]}))
    others = [{"id": f"b{place}", "type": "t1", "status": "approved", "ownerId": "p1"} for place in range(3)]
    assert roles(ASSESSMENTS, *records, *others).paths("property") == (("property",),)


@pytest.mark.parametrize("role", ["property", "type"])
@pytest.mark.parametrize("resource", [ASSETS, ASSESSMENTS])
def test_an_id_beside_a_member_that_became_a_label_takes_its_place(resource, role):
    records = [{"id": f"a{n}", "property": f"p{n % 2 + 1}", "type": "t1", "status": "approved"} for n in range(6)]
    known = KNOWN | {"asset_type_ids": {"t1"}}
    shape = roles(resource, *records, known=known)
    labelled = [one | {role: f"Label {one[role]}", f"{role}Id": one[role]} for one in records]
    assert roles(resource, *labelled[:4], known=known, shape=shape).paths(role)[0] == (role,)
    for _ in range(2):
        assert roles(resource, *labelled, known=known, shape=shape).paths(role)[:2] == ((f"{role}Id",), (role,))


@pytest.mark.parametrize("resource", [ASSETS, ASSESSMENTS])
def test_a_type_whose_ids_are_several_words_keeps_its_place_beside_a_number(resource):
    known = KNOWN | {"asset_type_ids": {"Fire doors"}, "assessment_type_ids": {"Fire doors"}}
    records = [{"id": f"a{n}", "property": "p1", "type": "Fire doors", "typeId": 3} for n in range(6)]
    assert roles(resource, *records, known=known).paths("type")[0] == ("type",)
    assert roles(resource, *records).paths("type")[0] == ("typeId",)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("1 High Street", "propertyId"),
        ("Rose Cottage, Lea", "propertyId"),
        ("PRP 001", "property"),
        ("a b", "property"),
    ],
)
def test_an_id_may_have_a_blank_and_an_address_has_words(text, first):
    records = [{"id": f"a{n}", "property": text, "type": "t1", "propertyId": f"p{n}"} for n in range(6)]
    assert roles(ASSETS, *records, known={}).paths("property")[0] == (first,)


def test_a_property_with_a_known_value_keeps_its_place():
    records = [{"id": f"a{n}", "property": f"new{n}", "type": "t1", "propertyId": "p1"} for n in range(6)]
    assert roles(ASSETS, *records, records[0] | {"id": "b", "property": "p1"}).paths("property")[0] == ("property",)


def test_most_records_may_move_while_one_keeps_the_first():
    shape = roles(ASSESSMENTS, *assessments(**PLAIN))
    moved = assessments(**{{"property": "propertyId"}.get(name, name): values for name, values in PLAIN.items()})
    roles(ASSESSMENTS, assessments(**PLAIN)[0], *moved[1:], shape=shape)
    assert shape.paths("property") == (("property",), ("propertyId",))
    found = "100% of its values are known property ids"
    assert shape.choices["property"].evidence == f"{found}; where records lack it, propertyId: {found}"
    roles(ASSESSMENTS, *moved, shape=shape)
    assert shape.paths("property") == (("property",), ("propertyId",))


def test_types_may_have_their_name_under_several_names():
    named = [{"id": "1", "name": "A"}, {"id": "2", "title": "B"}, {"id": "3", "description": "C"}]
    assert roles(ASSESSMENT_TYPES, *named).paths("name") == (("name",), ("title",))


def test_what_people_decided_beats_everything():
    shape = configured({"assessments": {"property": "where.code", "id": ["x", "y"]}}, "assessments", BUILT_IN)
    records = [record | {"where": {"code": "w"}, "y": record["id"]} for record in assessments(**PLAIN)]
    roles(ASSESSMENTS, *records, shape=shape)
    assert shape.paths("property") == (("where", "code"),)
    assert shape.paths("id") == (("x",), ("y",))
    assert shape.choices["id"].source == "configured"


def test_volatile_members_may_be_named_for_all_resources_or_for_one():
    assert configured({"volatile": ["a.b"]}, "assets", BUILT_IN).volatile == frozenset({"a.b"})
    assert configured({"volatile": ["a.b"], "assets": {"volatile": "c"}}, "assets", BUILT_IN).volatile == frozenset(
        {"c"}
    )
    assert configured({}, "assets", BUILT_IN).volatile is None
    assert configured({"assets": {"volatile": []}}, "assets", BUILT_IN).volatile == frozenset()


@pytest.mark.parametrize("wrong", [{"assets": 3}, {"assets": {"id": 3}}, {"assets": {"id": ["a", 3]}}, {"volatile": 3}])
def test_a_shape_that_is_no_path_is_refused(wrong):
    with pytest.raises(SettingsError, match="shapes"):
        configured(wrong, "assets", BUILT_IN)


@pytest.mark.parametrize("nothing", ["", [], ["uid", ""]])
def test_an_entry_that_names_no_member_is_refused(nothing):
    with pytest.raises(SettingsError, match=r"\[shapes.assets\] id: .* names no member. Name one in propsync.toml"):
        configured({"assets": {"id": nothing}}, "assets", BUILT_IN)
    assert configured({"assets": {"list": ""}}, "assets", BUILT_IN).paths("list") == ((),)


@pytest.mark.parametrize(
    ("resource", "part", "nothing"),
    [
        ("assets", "list", []),
        ("assets", "result_field", []),
        ("assets", "result_value:text", []),
        ("asset_types", "field_label", ""),
        ("asset_types", "field_options", ["options", ""]),
        ("assessments", "flag_history", ""),
    ],
)
def test_a_part_inside_records_must_name_a_member_too(resource, part, nothing):
    with pytest.raises(SettingsError, match=rf"\[shapes.{resource}\] {part}: .* names no member"):
        configured({resource: {part: nothing}}, resource, BUILT_IN)


@pytest.mark.parametrize("part", ["result_value", "result_value:", "result_field:text", "list:text", "id:text"])
def test_only_a_value_has_a_kind(part):
    known = "result_field, result_value:KIND"
    with pytest.raises(SettingsError, match=rf"\[shapes.assets\] {part}: there is no such part. .*{known}"):
        configured({"assets": {part: "value"}}, "assets", BUILT_IN)
    assert configured({"assets": {"result_value:text": "value"}}, "assets", BUILT_IN).has("result_value:text")


@pytest.mark.parametrize(
    ("shapes", "resource"),
    [
        ({"assets": {"volatile": ["id"]}}, "assets"),
        ({"assets": {"volatile": "property.id"}}, "assets"),
        ({"volatile": ["note", "status"]}, "schedules"),
        ({"assessments": {"status": "state.code", "volatile": "state.code"}}, "assessments"),
    ],
)
def test_what_decides_about_a_record_is_never_volatile(shapes, resource):
    with pytest.raises(SettingsError, match=rf"\[shapes.{resource}\] volatile: .* always count"):
        configured(shapes, resource, BUILT_IN)


def test_a_shape_survives_the_way_through_a_manifest():
    shape = roles(ASSESSMENTS, *assessments(**PLAIN))
    shape.volatile = frozenset({"fields[image].value.url"})
    shape.settle("list", Choice(((),), "found", "a bare array"))
    assert Shape.from_json(shape.to_json()) == shape
    assert Shape.from_json(Shape("x").to_json()) == Shape("x")


def test_a_guess_never_takes_the_place_of_something_known():
    shape = Shape("x")
    shape.settle("id", Choice((("id",),), "found", ""))
    shape.settle("id", Choice((), "absent", ""))
    shape.settle("id", None)
    assert shape.paths("id") == (("id",),)


def test_the_value_beside_a_key_is_a_name_if_nothing_else_is():
    pairs = roles(ASSESSMENT_TYPES, {"key": "t1", "value": "Fire risk"}, {"key": "t2", "value": "Lifts"})
    assert (pairs.paths("id"), pairs.paths("name")) == ((("key",),), (("value",),))
    named = roles(ASSESSMENT_TYPES, {"id": "t1", "value": "3", "title": "Fire risk"})
    assert named.paths("name") == (("title",),)


@pytest.mark.parametrize(
    ("held", "path"),
    [
        ({"label": "Fire risk", "createdBy": {"name": "Jo"}}, ("label",)),
        ({"title": "Fire risk", "organisation": {"name": "Acme"}}, ("title",)),
        ({"name": {"cy": "Risg tân", "en": "Fire risk"}, "organisation": {"name": "Acme"}}, ("name", "en")),
        ({"name": {"de": "Brandschutz"}, "description": "All about fire"}, ("name", "de")),
        ({"attributes": {"title": "Fire risk", "owner": {"name": "Jo"}}}, ("attributes", "title")),
        ({"assessmentType": {"name": "Fire risk"}, "value": 3}, ("assessmentType", "name")),
    ],
)
def test_the_name_of_a_type_is_its_own(held, path):
    """All types had the name of the organisation, or of a person, with exit code 0."""
    assert roles(ASSESSMENT_TYPES, {"id": "t1"} | held).paths("name")[0] == path


@pytest.mark.parametrize(
    ("held", "member"),
    [
        ({"Bezeichnung": "Brandschutz", "createdAt": "2026-01-02T03:04:05Z", "href": "/types/t1"}, "Bezeichnung"),
        ({"name": {"current": "Fire risk"}}, "name.current"),
        ({"name": ["Fire risk"]}, "name"),
        ({"a": "One", "b": "Two", "c": "Three", "d": "Four"}, "a, b, c, …"),
    ],
    ids=["an unusual member", "an object", "an array", "several"],
)
def test_a_name_that_nobody_can_read_is_no_name_that_lacks(held, member):
    choice = roles(ASSESSMENT_TYPES, {"id": "t1"} | held).choices["name"]
    assert (choice.source, choice.paths) == (UNREAD, ())
    assert choice.evidence.endswith(f"it may be {member}")


@pytest.mark.parametrize(
    "held",
    [{}, {"code": "FRA", "isActive": True, "updatedBy": "Jo"}, {"formID": "F-12"}, {"icon": "a/b.png", "name": None}],
    ids=["an id alone", "no words", "an id in capitals", "a null"],
)
def test_a_type_without_a_name_lacks_nothing(held):
    assert roles(ASSESSMENT_TYPES, {"id": "t1"} | held).choices["name"].source == "absent"


def test_a_member_that_differs_in_few_types_is_no_name():
    types = [{"id": f"t{number}", "colour": "red"} for number in range(4)]
    assert roles(ASSESSMENT_TYPES, *types).choices["name"].source == "absent"


def test_a_name_that_moved_out_of_sight_keeps_its_place():
    shape = roles(ASSESSMENT_TYPES, {"id": "t1", "name": "Fire risk"})
    roles(ASSESSMENT_TYPES, {"id": "t1", "Bezeichnung": "Brandschutz"}, shape=shape)
    assert (shape.choices["name"].source, shape.paths("name")) == (UNREAD, (("name",),))
    roles(ASSESSMENT_TYPES, {"id": "t1", "title": "Fire risk"}, shape=shape)
    assert (shape.choices["name"].source, shape.paths("name")) == ("likely", (("title",), ("name",)))


@pytest.mark.parametrize("held", [[{"id": "p1"}], ["p1"], [{"asset": {"id": "p1"}}, {"asset": {"id": "p7"}}]])
def test_properties_in_an_array_are_no_assessments_without_one(held):
    """All looked like assessments of no property, with exit code 0."""
    records = assessments(**PLAIN | {"property": [None] * 3, "properties": [held, held, []]})
    choice = roles(ASSESSMENTS, *records).choices["property"]
    evidence = "propsync finds none, but in 2 of 3 records, properties has known property ids in an array"
    assert choice == Choice((), UNREAD, evidence)


def test_a_property_that_few_records_have_in_an_array_is_absent():
    records = assessments(**PLAIN | {"property": [None] * 3, "linked": [["p1"], [], []]})
    assert roles(ASSESSMENTS, *records).choices["property"].source == "absent"


@pytest.mark.parametrize(
    ("resource", "held"),
    [(ASSETS, "https://api.example/types/{}"), (ASSESSMENTS, "Type {}"), (SCHEDULES, "Type {}")],
)
def test_a_type_that_is_no_known_id_anywhere_is_unread(resource, held):
    """All were of types that nobody lists, and the tables by type were empty, with exit code 0."""

    def choice_for(records):
        return roles(resource, *records, known=KNOWN | {"asset_type_ids": {"t1"}}).choices["type"]

    records = [
        {"id": f"a{number}", "property": "p1", "type": held.format(number), "status": "approved"} for number in range(8)
    ]
    choice = choice_for(records)
    assert (choice.source, choice.paths[0]) == (UNREAD, ("type",))
    assert choice.evidence.endswith("is the id of a known type")
    of_one = [one | {"type": "t9"} for one in records]
    for few in (records[:7], of_one, [*records, records[0] | {"type": "t1"}]):
        assert choice_for(few).source != UNREAD


def test_assessments_of_properties_without_assets_are_no_unread_shape():
    records = [{"id": f"a{number}", "property": f"p7{number}", "type": "t1"} for number in range(20)]
    assert roles(ASSESSMENTS, *records).choices["property"].source == "likely"


@pytest.mark.parametrize("other", ["propertyId", "site_id", "templateId", "scheduleId", "external_id", "userUid"])
def test_a_reference_is_the_id_beside_what_is_called_the_id_of_something_else(other):
    """The whole resource failed, and the message offered the id of the property for that of the assessment."""
    records = [{"reference": f"REF-{n}", other: f"x-{n}", "status": "approved", "type": "t1"} for n in range(6)]
    assert roles(ASSESSMENTS, *records).paths("id") == (("reference",),)


@pytest.mark.parametrize("own", ["assessment", "key"])
def test_a_member_that_is_named_as_the_key_has_no_rivals(own):
    """Look-ups ask with the parameter `assessment`, so a member of this name is no guess."""
    records = [{own: f"as-{n}", "externalNumberId": f"x-{n}", "property": "p1", "type": "t1"} for n in range(6)]
    assert roles(ASSESSMENTS, *records).paths("id") == ((own,),)


@pytest.mark.parametrize("own", ["phase", "workflowState"])
def test_of_two_members_with_known_statuses_the_alphabet_chooses_none(own):
    """`previousStatus` became the status of all assessments, because it comes before `workflowState`."""
    now = {own: ["approved", "submitted", "approved"], "previousStatus": ["submitted"] * 3}
    others = {name: held for name, held in PLAIN.items() if name != "status"}
    choice = roles(ASSESSMENTS, *assessments(**others | now)).choices["status"]
    names = " and ".join(sorted(("previousStatus", own)))
    evidence = f"{names} have known statuses and differ, so that the lists tell the status"
    assert choice == Choice((), "absent", evidence)


@pytest.mark.parametrize("former", [["submitted"] * 3, ["approved", "submitted", "approved"]])
def test_a_word_in_an_object_called_status_needs_no_lists_by_status(former):
    """`previousStatus` was the status if it agreed in the records of a first night. If not, the lists decided it."""
    now = [{"code": code, "label": code.title()} for code in ("approved", "submitted", "approved")]
    others = {name: held for name, held in PLAIN.items() if name != "status"}
    shape = roles(ASSESSMENTS, *assessments(**others, status=now, previousStatus=former))
    assert shape.paths("status") == (("status", "code"),)
    assert roles(ASSESSMENTS, *assessments(**others, status=now, previousStatus=former), shape=shape).has("status")
    both = [{"current": "approved", "previous": "submitted"}] * 3
    assert not roles(ASSESSMENTS, *assessments(**others, status=both)).has("status")


@pytest.mark.parametrize("own", ["phase", "workflowState"])
def test_a_former_status_that_some_records_lack_is_not_the_status(own):
    """On a first night of few records, it may say the same as the status wherever it says anything."""
    now = {own: ["approved", "submitted", "approved"], "previousStatus": ["approved", "submitted", None]}
    others = {name: held for name, held in PLAIN.items() if name != "status"}
    assert roles(ASSESSMENTS, *assessments(**others | now)).paths("status") == ((own,),)


def test_a_former_status_found_in_few_records_gives_way_when_more_differ():
    """It stayed the status for good, with exit code 0. One that the API sends later replaces no status."""
    others = {name: held for name, held in PLAIN.items() if name != "status"}
    first = {"workflowState": ["submitted"] * 3, "previousStatus": ["submitted"] * 3}
    later = {"workflowState": ["approved"] * 3, "previousStatus": ["submitted", "submitted", None]}
    shape = roles(ASSESSMENTS, *assessments(**others | first))
    assert shape.paths("status") == (("previousStatus",),)
    assert roles(ASSESSMENTS, *assessments(**others | later), shape=shape).paths("status") == ()
    assert roles(ASSESSMENTS, *assessments(**others | later), shape=shape).choices["status"].source == "absent"
    alone = roles(ASSESSMENTS, *assessments(**others | {"workflowState": later["workflowState"]}))
    assert roles(ASSESSMENTS, *assessments(**others | later), shape=alone).paths("status") == (("workflowState",),)


@pytest.mark.parametrize(("own", "other"), [("currentStatus", "approvalStatus"), ("assessmentStatus", "aStatus")])
def test_a_member_that_says_whose_status_it_is_needs_no_lists_by_status(own, other):
    """A server that ignores the filter then had every assessment approved, and each night ended with exit code 3."""
    now = {own: ["approved", "submitted", "approved"], other: ["submitted"] * 3}
    others = {name: held for name, held in PLAIN.items() if name != "status"}
    assert roles(ASSESSMENTS, *assessments(**others | now)).paths("status") == ((own,),)


def test_a_status_in_capitals_beside_it_contests_no_status():
    both = {"phase": ["approved", "submitted", "approved"], "shown": ["Approved", "Submitted", "Approved"]}
    others = {name: held for name, held in PLAIN.items() if name != "status"}
    assert roles(ASSESSMENTS, *assessments(**others | both)).paths("status") == (("phase",),)


def test_the_data_of_json_api_names_the_member_that_holds_it():
    """Some numbers of assets are known as those of properties, and `assetId` came before `site.data.id`."""
    numbers = [f"p{n % 2 + 1}" if n < 6 else f"p{n}" for n in range(20)]
    held = {"site": [{"data": {"type": "place", "id": f"p{1 + n % 3}"}} for n in range(20)], "assetId": numbers}
    others = {"id": list(range(20)), "type": ["t1", "t2"] * 10}
    assert roles(ASSESSMENTS, *assessments(**others | held)).paths("property") == (("site", "data", "id"),)


@pytest.mark.parametrize("name", ["id", "Id", "$oid"])
def test_assigned_users_are_read_in_the_forms_that_the_tables_read(name):
    """The tables had the users of `$oid`, and each run ended with exit code 3 because propsync could not read them."""
    shape = Shape("schedules")
    look_into_schedules(shape, [{"property": "p", "type": "t", "assignedUsers": [{name: "u1"}]} for _ in range(6)])
    assert shape.choices["assigned_users"].source != UNREAD


@pytest.mark.parametrize("name", ["id", "Id", "optionId", "OptionId", "option_id"])
def test_a_choice_in_an_object_has_its_id_under_a_usual_name_in_each_spelling(name):
    assert (name,) in choice_ids(Shape("asset_types"))
