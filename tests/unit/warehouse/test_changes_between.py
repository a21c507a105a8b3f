"""Promises of the macro changes_between: what differs between two moments, and nothing else."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from propsync.errors import PropsyncError
from propsync.records import CanonicalForm, canonical_hash
from propsync.resources import BUILT_IN
from propsync.warehouse.macros import macros_for_people

FIRST, SECOND, THIRD = (f"2026-01-0{day} 02:30:00+00" for day in (1, 2, 3))
AFTER_FIRST, AFTER_SECOND, AFTER_THIRD = (f"2026-01-0{day} 12:00:00+00" for day in (1, 2, 3))
GONE = "gone"
KEYS = {
    "assets": ["asset_id"],
    "assessments": ["assessment_id"],
    "schedules": ["property_id", "assessment_type_id"],
}
FORM = CanonicalForm(results="fields", result_refs=(("field",),), sets=("assignedUsers",), dropped=("asset",))
SHAPES = [
    ("assets", "property", [["property"], ["property", "id"]]),
    ("assets", "type", [["type"]]),
    ("assets", "result_field", [["field"], ["field", "id"]]),
    ("assets", "result_value:text", [["value"]]),
    ("assets", "result_value:number", [["measured", "by/~hand"]]),
    ("assets", "volatile", [["etag"], ["fields[image].value.url"], ["plan.links[].href"]]),
    ("assessments", "property", [["site"]]),
    ("assessments", "status", [["progress"]]),
]


@pytest.fixture(autouse=True)
def empty(warehouse):
    for table in ("history.assets", "history.assessments", "history.schedules", "ops.shapes", "main.asset_type_fields"):
        warehouse.execute(f"delete from {table}")
    warehouse.add("ops.shapes", [(name, part, "", json.dumps(paths), "", "") for name, part, paths in SHAPES])
    fields = "asset_type_id, field_id, label"
    warehouse.execute(f"insert into main.asset_type_fields ({fields}) values ('t', 'f', 'Height'), ('u', 'f', 'Width')")


def remember(warehouse, resource, key, *versions, **facts):
    """Puts a record's history: one version a night, GONE for a tombstone, None for a night before it was there."""
    nights = [FIRST, SECOND, THIRD]
    before = None
    for number, payload in enumerate(versions):
        told = versions[number - 1] if payload is GONE else payload
        digest = canonical_hash(json.dumps(told).encode(), FORM) + str({n: v[number] for n, v in facts.items()})
        state = (digest, payload is GONE)
        if payload is None or state == before:
            continue
        change = "delete" if payload is GONE else "insert" if before is None or before[1] else "update"
        table = f"history.{resource}"
        is_it = " and ".join(f"{column} = ?" for column in KEYS[resource])
        warehouse.execute(f"update {table} set valid_to = ? where valid_to is null and {is_it}", [nights[number], *key])
        row = dict(zip(KEYS[resource], key, strict=True)) | {name: values[number] for name, values in facts.items()}
        row |= {"record_hash": digest, "valid_from": nights[number], "change": change, "payload": json.dumps(told)}
        marks = ", ".join("?" for _ in row)
        warehouse.execute(f"insert into {table} ({', '.join(row)}) values ({marks})", list(row.values()))
        before = state


def changes(warehouse, columns="field, old_value, new_value", one=AFTER_FIRST, other=AFTER_THIRD):
    return warehouse.rows(
        f"select {columns} from changes_between(timestamptz '{one}', timestamptz '{other}') order by all"
    )


def asset(*results, **members):
    return {"id": "a", "property": "p", "type": "t", "fields": list(results)} | members


def text(field, value, **more):
    return {"type": "text", "field": field, "value": value} | more


def test_an_empty_warehouse_has_no_changes_and_the_columns_promised(warehouse):
    assert changes(warehouse) == []
    described = warehouse.rows("select column_name, column_type from (describe from changes_between(now(), now()))")
    assert described == [
        *((name, "VARCHAR") for name in ("resource", "record_id", "property_id", "change", "field", "label")),
        ("old_value", "VARCHAR"),
        ("new_value", "VARCHAR"),
        ("changed_at", "TIMESTAMP WITH TIME ZONE"),
    ]


def test_a_value_that_was_edited_shows_before_and_after_under_its_label(warehouse):
    remember(warehouse, "assets", "a", asset(text("f", "old")), asset(text("f", "new")))
    told = "resource, record_id, property_id, change, field, label, old_value, new_value, changed_at::varchar"
    warehouse.execute("set timezone = 'UTC'")
    assert changes(warehouse, told) == [
        ("assets", "a", "p", "update", "f", "Height", "old", "new", SECOND),
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([text("f", "x")], [], [("f", "x", None)]),  # a result that went
        ([], [text("f", "x")], [("f", None, "x")]),  # one that came
        ([text("f", "x")], [text("f", "")], [("f", "x", "")]),  # an empty text is a text
        ([text("f", "x")], [text("f", None)], [("f", "x", None)]),  # a null is no value
        ([], [text("f", None)], []),  # no value before, none after
        ([text("f", "x"), text("g", "y")], [text("g", "z"), text("f", "x")], [("g", "y", "z")]),  # in any order
        ([text({"id": "f"}, "x")], [text({"id": "f"}, "y")], [("f", "x", "y")]),  # the second place for a reference
        ([text("f", "x"), text("f", "y")], [text("f", "x"), text("f", "z")], []),  # of a field twice the first counts
        ([text("f", "1")], [text("f", 1)], [("f", "1", "1")]),  # a text became a number
        ([text("f", True)], [text("f", False)], [("f", "true", "false")]),
        ([text("f", {"b": 1, "a": 2})], [text("f", {"a": 3, "b": 1})], [("f", '{"b":1,"a":2}', '{"a":3,"b":1}')]),
        ([text("f", {"b": 1, "a": 2}), text("g", 1)], [text("f", {"a": 2.0, "b": 1}), text("g", 2)], [("g", "1", "2")]),
        ([text("id", "x")], [text("id", "y")], [("id", "x", "y")]),  # a field's id may be a member's name
    ],
)  # fmt: skip
def test_field_results_are_matched_by_their_field(warehouse, before, after, expected):
    remember(warehouse, "assets", "a", asset(*before), asset(*after))
    assert changes(warehouse) == expected


def test_a_value_stands_where_it_was_found_to_stand(warehouse):
    def number(value):
        return {"type": "number", "field": "f", "measured": {"by/~hand": value}, "value": "never looked at"}

    remember(warehouse, "assets", "a", asset(number(12)), asset(number(13.5)))
    assert changes(warehouse) == [("f", "12", "13.5")]


def test_a_kind_never_met_before_is_looked_for_under_value_then_under_its_name(warehouse):
    def results(value):
        return [{"type": "tag", "field": "f", "value": value}, {"type": "sign/al", "field": "g", "sign/al": value}]

    remember(warehouse, "assets", "a", asset(*results(1)), asset(*results(2)))
    assert changes(warehouse) == [("f", "1", "2"), ("g", "1", "2")]


def test_results_that_name_no_field_are_shown_together_in_no_order(warehouse):
    one, other, third = ({"type": "text", "value": value} for value in "xyz")
    remember(warehouse, "assets", "a", asset(one, other, n=1), asset(other, one, n=2))
    assert changes(warehouse) == [("n", "1", "2")]
    remember(warehouse, "assets", "b", asset(one, other), asset(third, one))
    shown = [(field, json.loads(old), json.loads(new)) for field, old, new in changes(warehouse)[:1]]
    assert shown == [("fields", [one, other], [one, third])]


def test_without_any_shape_known_fields_are_one_member(warehouse):
    warehouse.execute("delete from ops.shapes")
    remember(warehouse, "assets", "a", asset(text("f", 1)), asset(text("f", 2)))
    assert [(field, property_id) for field, property_id in changes(warehouse, "field, property_id")] == [
        ("fields", None)
    ]


def test_fields_that_are_neither_array_nor_object_are_a_member_like_others(warehouse):
    remember(warehouse, "assets", "a", asset() | {"fields": "f: 1"}, asset() | {"fields": "f: 2"})
    assert changes(warehouse) == [("fields", "f: 1", "f: 2")]


def test_fields_of_an_object_are_named_by_its_members(warehouse):
    before, after = {"f": 1, "g": {"type": "text", "value": "x"}}, {"g": {"value": "x", "type": "text"}, "f": 2}
    remember(warehouse, "assets", "a", asset() | {"fields": before}, asset() | {"fields": after})
    assert changes(warehouse) == [("f", "1", "2")]


def test_the_label_is_that_of_now_by_the_type_that_the_asset_has(warehouse):
    remember(warehouse, "assets", "a", asset(text("f", 1)), asset(text("f", 2), type="u"))
    warehouse.execute("update main.asset_type_fields set label = 'Breadth' where asset_type_id = 'u'")
    assert changes(warehouse, "field, label") == [("f", "Breadth"), ("type", None)]


@pytest.mark.parametrize("name", ["a.b", 'a"b', "a/b", "a~1b", "", "*", "$", "fields[image].x", "0", "naïve 门"])
def test_a_member_may_have_any_name(warehouse, name):
    remember(warehouse, "assets", "a", asset(**{name: "x"}), asset(**{name: "y"}))
    assert changes(warehouse) == [(name, "x", "y")]


def test_a_member_that_came_or_went_has_one_value_only(warehouse):
    remember(warehouse, "assets", "a", asset(went=1, stays=[1]), asset(came="x", stays=[1]))
    assert changes(warehouse) == [("came", None, "x"), ("went", "1", None)]


def test_what_came_and_what_went_is_one_row_each(warehouse):
    record = asset(text("f", "x"))
    remember(warehouse, "assets", "b", None, record, record)  # came
    remember(warehouse, "assets", "c", record, record, GONE)  # went
    remember(warehouse, "assets", "d", None, record, GONE)  # came and went: neither moment knows it
    remember(warehouse, "assets", "e", record, GONE, record)  # went and came again as it was
    remember(warehouse, "assets", "g", record, GONE, asset(text("f", "y")))  # came again otherwise
    remember(warehouse, "schedules", ("p", "t"), {"property": "p"}, GONE)
    warehouse.execute("set timezone = 'UTC'")
    assert changes(warehouse, "record_id, property_id, change, field, old_value, new_value, changed_at::varchar") == [
        ("b", "p", "insert", None, None, None, SECOND),
        ("c", "p", "delete", None, None, None, THIRD),
        ("g", "p", "update", "f", "x", "y", THIRD),
        ("p/t", "p", "delete", None, None, None, SECOND),
    ]


def test_what_came_back_came_when_the_moment_before_shows_its_tombstone(warehouse):
    remember(warehouse, "assets", "a", asset(), GONE, asset())
    assert changes(warehouse, "change, field", AFTER_SECOND) == [("insert", None)]
    assert changes(warehouse, "change, field", AFTER_FIRST, AFTER_SECOND) == [("delete", None)]


def test_there_and_back_again_is_no_change(warehouse):
    remember(warehouse, "assets", "a", asset(text("f", "A")), asset(text("f", "B")), asset(text("f", "A")))
    assert changes(warehouse) == []
    assert changes(warehouse, one=AFTER_SECOND) == [("f", "B", "A")]


def test_several_versions_show_their_net_difference_and_when_the_last_came(warehouse):
    remember(warehouse, "assets", "a", asset(text("f", 1), n=1), asset(text("f", 2), n=2), asset(text("f", 3), n=1))
    warehouse.execute("set timezone = 'UTC'")
    assert changes(warehouse, "field, old_value, new_value, changed_at::varchar") == [("f", "1", "3", THIRD)]


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        (f"timestamptz '{AFTER_THIRD}'", f"timestamptz '{AFTER_FIRST}'", "the first moment is later than the second"),
        ("(select max(valid_from) from history.assets)", "(select min(valid_from) from history.assets)", "later than"),
        ("null", "now()", "a moment is NULL"),
        ("now()", "(select null::timestamptz)", "a moment is NULL"),
        ("(select max(started_at) from ops.runs where false)", "now()", "a moment is NULL"),
    ],
)
@pytest.mark.parametrize("is_empty", [True, False])
def test_moments_that_are_swapped_or_missing_are_refused(warehouse, one, other, reason, is_empty):
    if not is_empty or "history.assets" in one:
        remember(warehouse, "assets", "a", asset(n=1), asset(n=2))
    with pytest.raises(PropsyncError, match=f"changes_between: .*{reason}"):
        warehouse.rows(f"from changes_between({one}, {other})")


def test_a_moment_and_itself_have_no_difference(warehouse):
    remember(warehouse, "assets", "a", asset(n=1), asset(n=2), GONE)
    for moment in (FIRST, SECOND, AFTER_SECOND, THIRD, AFTER_THIRD):
        assert changes(warehouse, one=moment, other=moment) == []


def test_each_field_tells_when_it_changed_last(warehouse):
    remember(
        warehouse,
        "assets",
        "a",
        asset(text("f", 1), text("g", 1), early=1, late=1, both=1, went=1, spelt=1.0),
        asset(text("f", 2), text("g", 1), early=2, late=1, both=2, went=None, spelt=2),
        asset(text("g", 2), text("f", 2.0), late=2, early=2.0, both=3, spelt=2.0),
    )
    warehouse.execute("set timezone = 'UTC'")
    assert changes(warehouse, "field, changed_at::varchar") == [
        ("both", THIRD),
        ("early", SECOND),
        ("f", SECOND),
        ("g", THIRD),
        ("late", THIRD),
        ("spelt", SECOND),
        ("went", SECOND),
    ]


def test_a_field_that_went_back_and_changed_again_tells_the_last_time(warehouse):
    remember(warehouse, "assets", "a", asset(n=1, m=1), asset(n=2, m=2), asset(n=1, m=2))
    remember(warehouse, "assets", "b", asset(n=1), GONE, asset(n=2))  # it was away between
    warehouse.execute("set timezone = 'UTC'")
    assert changes(warehouse, "record_id, field, changed_at::varchar") == [("a", "m", SECOND), ("b", "n", THIRD)]


def test_a_record_that_came_tells_when_it_came_and_not_when_it_was_edited(warehouse):
    remember(warehouse, "assets", "b", None, asset(n=1), asset(n=2))
    warehouse.execute("set timezone = 'UTC'")
    assert changes(warehouse, "change, changed_at::varchar") == [("insert", SECOND)]


def test_facts_of_the_lists_tell_when_each_of_them_changed(warehouse):
    record = {"id": "s", "site": "p"}
    facts = {
        "status": ["a", "b", "b"],
        "performed_for": [True, True, True],
        "performed_by": [False, False, True],
    }
    remember(warehouse, "assessments", "s", record, record, record, **facts)
    warehouse.execute("set timezone = 'UTC'")
    assert changes(warehouse, "field, changed_at::varchar") == [("performed_by", THIRD), ("status", SECOND)]


def test_schedules_whose_parts_have_slashes_are_told_apart(warehouse):
    def schedule(due):
        return {"dueDate": due}

    remember(warehouse, "schedules", ("a/b", "c"), schedule("1"), schedule("2"))
    remember(warehouse, "schedules", ("a", "b/c"), schedule("3"), schedule("4"))
    remember(warehouse, "schedules", ("a\\/b", "c"), schedule("5"), GONE)
    assert changes(warehouse, "record_id, property_id, change, old_value, new_value") == [
        ("a/b\\/c", "a", "update", "3", "4"),
        ("a\\/b/c", "a/b", "update", "1", "2"),
        ("a\\\\\\/b/c", "a\\/b", "delete", None, None),
    ]


def test_a_member_whose_name_has_a_slash_is_not_taken_for_a_place_below_another(warehouse):
    one, other = {"a": {"b": 1}, "a/b": 2}, {"a": {"b": 2}, "a/b": 1}
    remember(warehouse, "assets", "a", asset(m=one), asset(m=other))
    assert [field for field, *_ in changes(warehouse)] == ["m"]


def test_the_moment_of_a_run_is_after_the_run(warehouse):
    remember(warehouse, "assets", "a", asset(n=1), asset(n=2))
    assert changes(warehouse, one=FIRST, other=SECOND) == [("n", "1", "2")]
    assert changes(warehouse, one=SECOND) == []


def test_an_assessment_shows_what_the_lists_told_and_its_status_once(warehouse):
    def assessment(progress):
        return {"id": "s", "site": "p", "progress": progress, "status": "never shown"}

    facts = {
        "status": ["submitted", "approved"],
        "performed_for": [True, True],
        "performed_by": [False, True],
    }
    remember(warehouse, "assessments", "s", assessment("submitted"), assessment("approved"), **facts)
    assert changes(warehouse, "property_id, field, old_value, new_value") == [
        ("p", "performed_by", "false", "true"),
        ("p", "status", "submitted", "approved"),
    ]


def test_the_flags_of_an_assessment_are_shown_as_json(warehouse):
    one, other = ({"id": "s", "flags": [{"state": state}]} for state in ("open", "closed"))
    remember(warehouse, "assessments", "s", one, other)
    assert changes(warehouse) == [("flags", '[{"state":"open"}]', '[{"state":"closed"}]')]


def test_the_users_of_a_schedule_are_a_set_and_its_deprecated_asset_is_nothing(warehouse):
    def schedule(users, due, asset="p"):
        return {"property": "p", "asset": asset, "type": "t", "dueDate": due, "assignedUsers": users}

    remember(
        warehouse, "schedules", ("p", "t"), schedule(["u", "v"], "2026-01-01"), schedule(["v", "u", "v"], None, "q")
    )
    assert changes(warehouse) == [("dueDate", "2026-01-01", None)]
    remember(warehouse, "schedules", ("p", "u"), schedule([{"id": "u"}], None), schedule([{"id": "v"}], None))
    assert changes(warehouse)[0] == ("assignedUsers", '[{"id":"u"}]', '[{"id":"v"}]')


def test_what_differs_by_itself_does_not_show_but_what_stands_beside_it_does(warehouse):
    def image(url, **more):
        return {"type": "image", "field": "f", "value": {"url": url} | more}

    def signed(number, *results, **members):
        plan = {"links": [{"href": number}, {"href": -number}]}
        return asset(image(number), *results, etag=number, plan=plan, n=number, **members)

    remember(warehouse, "assets", "a", signed(1), signed(2))
    assert changes(warehouse) == [("n", "1", "2")]
    remember(warehouse, "assets", "a", None, None, asset(image(2, size=3), etag=2, plan={"links": []}, n=2))
    assert [field for field, *_ in changes(warehouse)] == ["f", "n", "plan"]
    remember(warehouse, "assets", "b", asset(text("f", {"url": 1})), asset(text("f", {"url": 2})))
    assert len(changes(warehouse)) == 4  # of the same name, in a result of another kind


def test_members_that_are_sets_or_never_compared_are_those_of_the_macro():
    written = "".join(macros_for_people())
    for resource in BUILT_IN:
        for name in (*resource.sets, *resource.dropped):
            assert f"'{name}'" in written


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
numbers = st.integers(-(2**53), 2**53) | st.integers(-3, 3).map(float) | st.sampled_from([0.5, -1.25, -0.0])
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)


@pytest.mark.release
@settings(max_examples=25)
@given(data=st.data(), before=values)
def test_a_member_shows_exactly_when_its_canonical_form_differs(warehouse, data, before):
    after = data.draw(values | st.just(before) | st.just(respelt(before)))
    warehouse.execute("delete from history.assets")
    remember(warehouse, "assets", "a", asset(m=before, n=1), asset(m=after, n=2))
    shown = {field for (field,) in changes(warehouse, "field")}
    is_same = canonical_hash(json.dumps([before]).encode(), FORM) == canonical_hash(json.dumps([after]).encode(), FORM)
    assert shown == ({"n"} if is_same else {"m", "n"})


def respelt(value):
    """The same value, members the other way round and whole numbers as fractions."""
    if isinstance(value, dict):
        return {name: respelt(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return [respelt(inner) for inner in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
