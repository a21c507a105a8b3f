"""Promises of field finding: ids, labels, options, references and values, however the API spells them."""

import pytest

from propsync.errors import ShapeUnknown
from propsync.shapes import (
    Choice,
    Shape,
    find_definition_shape,
    find_result_shape,
    kinds_without_results,
)
from propsync.shapes.flags import find_flag_history

FIELDS = ("fields",)


def asset(*results):
    return {"id": "a", "fields": list(results)}


def asset_type(*definitions):
    return {"id": "t", "fields": list(definitions)}


def definition_shape(types, assets=()):
    shape = Shape("asset_types")
    find_definition_shape(shape, types, assets, FIELDS)
    return {part: choice.text for part, choice in shape.choices.items()}


def result_shape(assets, field_ids):
    shape = Shape("assets")
    find_result_shape(shape, assets, set(field_ids))
    return {part.removeprefix("result_"): choice.text for part, choice in shape.choices.items()}


def test_the_plain_case_is_found():
    types = [
        asset_type(
            {"id": "f1", "label": "Serial", "type": "text"},
            {
                "id": "f2",
                "label": "State",
                "type": "option",
                "options": [{"id": "o1", "label": "Good"}, {"id": "o2", "label": "Bad"}],
            },
        )
    ]
    assets = [asset({"type": "text", "field": "f1", "value": "x"}, {"type": "option", "field": "f2", "value": ["o1"]})]
    assert definition_shape(types, assets) == {
        "field_id": "id",
        "field_label": "label",
        "field_options": "options",
        "option_id": "id",
        "option_label": "label",
    }
    assert result_shape(assets, {"f1", "f2"}) == {"field": "field", "value:text": "value", "value:option": "value"}


def test_of_two_ids_the_one_that_assets_refer_to_is_the_field_s():
    types = [asset_type({"id": 1, "key": "k1", "type": "text"}, {"id": 2, "key": "k2", "type": "text"})]
    assert definition_shape(types, [asset({"type": "text", "field": {"key": "k1"}, "value": "x"})])["field_id"] == "key"
    assert definition_shape(types, [asset({"type": "text", "field": 2, "value": "x"})])["field_id"] == "id"


def test_an_id_that_repeats_within_a_type_is_none_but_may_repeat_across_types():
    one = asset_type({"id": "f1", "code": "same", "type": "text"}, {"id": "f2", "code": "same", "type": "text"})
    assert definition_shape([one, one])["field_id"] == "id"


@pytest.mark.parametrize("types", [1, 5])
@pytest.mark.parametrize("are_used", [True, False], ids=["with assets", "no asset yet"])
@pytest.mark.parametrize(
    "odd", [{"id": ""}, {"id": None}, {}, {"id": "0-f1"}], ids=["empty", "null", "absent", "twice"]
)
def test_one_definition_with_an_odd_id_makes_no_ids_of_the_labels(odd, are_used, types):
    fields = [[{"id": f"{n}-f{m}", "label": f"Label {m}", "type": "text"} for m in range(4)] for n in range(types)]
    fields[0].append({"type": "text", "label": "Odd"} | odd)
    used = [asset({"type": "text", "field": f"{n}-f1", "value": "Label 1"}) for n in range(types)] if are_used else []
    shape = definition_shape([asset_type(*of_type) for of_type in fields], used)
    assert shape == {"field_id": "id", "field_label": "label"}


@pytest.mark.parametrize("odd", [{"fieldUid": ""}, {}, {"fieldUid": "f1"}], ids=["empty", "absent", "twice"])
def test_results_name_the_ids_of_fields_whatever_the_member_is_called(odd):
    kinds = ("text", "number", "date", "qr")
    fields = [{"fieldUid": f"f{n}", "caption": f"Label {n}", "type": k, "form": k} for n, k in enumerate(kinds)]
    used = asset(*({"type": one["type"], "fieldUid": one["fieldUid"], "value": 1} for one in fields))
    shape = definition_shape([asset_type(*fields, {"type": "text", "form": "text", "caption": "Odd"} | odd)], [used])
    assert shape == {"field_id": "fieldUid", "field_label": "caption"}


@pytest.mark.parametrize("odd", [{"id": ""}, {"id": None}, {}, {"id": "o1"}], ids=["empty", "null", "absent", "twice"])
@pytest.mark.parametrize("are_used", [True, False], ids=["chosen", "not chosen"])
def test_one_option_with_an_odd_id_makes_no_ids_of_the_labels(odd, are_used):
    options = [{"id": "o1", "label": "Good"}, {"id": "o2", "label": "Bad"}, {"label": "Odd"} | odd]
    types = [asset_type({"id": "f", "label": "State", "type": "option", "options": options})]
    assets = [asset({"type": "option", "field": "f", "value": ["o1"]})] if are_used else []
    found = definition_shape(types, assets)
    assert (found["option_id"], found["option_label"]) == ("id", "label")


def test_options_may_be_texts_and_hide_under_another_name():
    types = [asset_type({"id": "f", "title": "State", "type": "option", "choices": ["Good", "Bad"], "tags": ["x"]})]
    assert definition_shape(types) == {"field_id": "id", "field_label": "title", "field_options": "choices"}


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"settings": {"options": [{"id": "o1", "label": "Good"}]}}, "settings.options"),
        ({"settings": {"options": {"o1": "Good"}}}, "settings.options"),
        ({"settings": {"options": {"columns": 2}}}, None),
        ({"settings": {"options": ["o1", "o2"]}}, "settings.options"),
        ({"options": {"options": ["o1", "o2"], "columns": 2}}, "options.options"),
        ({"options": {"items": [{"id": "o1", "label": "Good"}], "columns": 2}}, "options.items"),
        ({"settings": {"values": [{"id": "o1"}]}, "choices": [{"id": "o1", "label": "Good"}]}, "choices"),
        ({"settings": {"owners": [{"id": "o1"}], "values": ["x"]}}, None),
    ],
    ids=[
        "alone",
        "keyed",
        "keyed by no option",
        "texts",
        "texts inside",
        "listed inside",
        "beside a list",
        "of another name",
    ],
)
def test_options_may_be_in_an_object(members, found):
    types = [asset_type({"id": "f", "title": "State", "type": "option"} | members)]
    assert (
        definition_shape(types, [asset({"type": "option", "field": "f", "value": ["o1"]})]).get("field_options")
        == found
    )


def test_a_list_that_other_kinds_of_fields_have_is_not_taken_for_options():
    types = [asset_type({"id": "f", "type": "text", "options": ["a"]}, {"id": "g", "type": "number", "values": [1]})]
    assert "field_options" not in definition_shape(types)


def test_an_option_s_id_is_what_assets_choose_and_its_label_is_what_is_left():
    options = [{"id": 1, "value": "good", "text": "Good"}, {"id": 2, "value": "bad", "text": "Bad"}]
    types = [asset_type({"id": "f", "label": "State", "type": "option", "options": options})]
    found = definition_shape(types, [asset({"type": "option", "field": "f", "value": ["good", "bad"]})])
    assert (found["option_id"], found["option_label"]) == ("value", "text")


@pytest.mark.parametrize("label", ["title", "displayName", "caption", "question"])
def test_a_name_beside_a_label_is_a_key_of_programs(label):
    """Tools for forms write `{"name": "question1", "title": "Is it damaged?"}`, and columns took the key's name."""
    definition = {"id": "f1", "type": "text", "name": "n_1", label: "Is it damaged?"}
    assert definition_shape([asset_type(definition)])["field_label"] == label


def test_ids_of_fields_and_options_may_be_objects_as_mongodb_writes_them():
    options = [{"uid": {"$oid": f"o{n}"}, "text": f"Grade {n}", "score": n} for n in range(3)]
    fields = [{"key": {"$oid": f"f{n}"}, "type": "option", "label": f"L {n}", "options": options} for n in range(3)]
    used = [asset({"type": "option", "field": {"$oid": f"f{n}"}, "value": [{"$oid": f"o{n}"}]}) for n in range(3)]
    found = definition_shape([asset_type(*fields)], used)
    assert (found["field_id"], found["option_id"]) == ("key.$oid", "uid.$oid")


def test_a_name_beside_a_label_in_several_languages_is_a_key_of_programs():
    definition = {"id": "f1", "type": "text", "name": "n_1", "label": {"cy": "Lleoliad", "en": "Location"}}
    assert definition_shape([asset_type(definition)])["field_label"] == "label.en"


@pytest.mark.parametrize("own", ["id", "optionId", "code"])
def test_an_id_is_no_label_where_assets_name_options_by_their_labels(own):
    options = [{"at": at, own: f"o{at}", "displayName": label} for at, label in enumerate(["Good", "Bad"])]
    types = [asset_type({"id": "f", "label": "State", "type": "option", "options": options})]
    found = definition_shape(types, [asset({"type": "option", "field": "f", "value": ["Good", "Bad"]})])
    assert (found["option_id"], found["option_label"]) == ("displayName", "displayName")


@pytest.mark.parametrize(
    "options", [{"o1": {"label": "Good"}, "o2": {"label": "Bad"}}, [{"label": "Good"}, {"label": "Bad"}]]
)
def test_a_label_that_assets_choose_is_id_and_label(options):
    types = [asset_type({"id": "f", "label": "State", "type": "option", "options": options})]
    found = definition_shape(types, [asset({"type": "option", "field": "f", "value": ["Good", "Bad"]})])
    assert (found["option_id"], found["option_label"]) == ("label", "label")


@pytest.mark.parametrize("name", ["name", "description"])
@pytest.mark.parametrize("is_keyed", [True, False], ids=["keyed by id", "in a list"])
def test_a_label_by_which_assets_choose_is_one_though_a_colour_is_left(name, is_keyed):
    """The labels of all options were their colours."""
    options = {f"k{at}": {name: word, "colour": f"#ff000{at}"} for at, word in enumerate(("Good", "Bad"))}
    listed = options if is_keyed else [{"id": key, **one} for key, one in options.items()]
    types = [asset_type({"id": "f", "label": "State", "type": "option", "options": listed})]
    found = definition_shape(types, [asset({"type": "option", "field": "f", "value": ["Good", "Bad"]})])
    assert (found["option_id"], found["option_label"]) == (name, name)


def test_a_number_that_an_asset_has_chooses_no_option_by_its_place():
    """Bare values keyed by field say no kind: numbers of 0 and 1 made the place of options their id."""
    options = [{"label": label, "place": at} for at, label in enumerate(("Good", "Bad"))]
    state = {"id": "f1", "label": "State", "type": "option", "options": options}
    types = [asset_type(state, {"id": "f2", "label": "Doors", "type": "number"})]
    assets = [{"id": f"a{at}", "fields": {"f1": ["Good"], "f2": at}} for at in range(4)]
    assert definition_shape(types, assets)["option_id"] == "label"


def test_labels_keyed_by_id_are_options_if_assets_show_the_labels():
    listed = {"k1": "Good", "k2": "Bad", "k3": "Broken"}
    types = [asset_type({"id": "f", "label": "State", "type": "option", "multiple": {"a": "b"}, "allowed": listed})]
    found = definition_shape(types, [asset({"type": "option", "field": "f", "value": ["Good", "Bad"]})])
    assert found["field_options"] == "allowed"


def test_a_label_of_an_unusual_name_stays_one_where_assets_choose_names():
    options = [{"name": "good", "wording": "In good order"}, {"name": "bad", "wording": "Needs a repair"}]
    types = [asset_type({"id": "f", "label": "State", "type": "option", "options": options})]
    found = definition_shape(types, [asset({"type": "option", "field": "f", "value": ["good", "bad"]})])
    assert (found["option_id"], found["option_label"]) == ("name", "wording")


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(
            [{"id": "o1", "label": "Good"}, {"id": "o2", "label": "Bad", "replacedBy": "o1"}], id="a rare reference"
        ),
        pytest.param([{"id": f"o{n}", "label": "x", "default": "o1"} for n in range(4)], id="the same one each time"),
        pytest.param([{"id": f"o{n}", "label": "x"} for n in range(20)] + [{"id": {"v": "o1"}}], id="an odd option"),
    ],
)
def test_an_option_that_refers_to_another_does_not_take_its_id(options):
    types = [asset_type({"id": "f", "label": "State", "type": "option", "options": options})]
    assets = [asset({"type": "option", "field": "f", "value": ["o1"]})]
    assert definition_shape(types, assets)["option_id"] == "id"


@pytest.mark.parametrize(
    "others",
    [
        pytest.param([{"label": "Yes"}, {"label": "No"}], id="options without any id"),
        pytest.param([{"key": f"k{n}", "label": f"K{n}"} for n in range(3)], id="options with another member"),
    ],
)
def test_options_of_another_form_in_some_fields_do_not_take_the_id_of_the_others(others):
    usual = [{"id": f"o{n}", "label": f"L{n}"} for n in range(6)]
    fields = [
        {"id": "f", "label": "State", "type": "option", "options": usual},
        {"id": "g", "label": "Has it", "type": "option", "options": others},
    ]
    found = definition_shape([asset_type(*fields)], [asset({"type": "option", "field": "f", "value": ["o1"]})])
    assert (found["option_id"], found["option_label"]) == ("id", "label")


def test_numbers_that_assets_happen_to_have_make_no_id_of_a_place():
    options = [{"id": f"o{at}", "label": f"Option {at}", "position": at} for at in range(4)]
    kinds = {"f0": "number", "f1": "option", "f2": "text", "f3": "text"}
    defined = [
        {"id": key, "type": kind, "label": f"Field {key}", "position": int(key[1])} for key, kind in kinds.items()
    ]
    types = [asset_type(*({**one, "options": options} if one["type"] == "option" else one for one in defined))]
    count = [asset({"type": "number", "field": "f0", "value": count}) for count in range(4)]  # f2, f3 are never filled
    shape = definition_shape(types, [*count, asset({"type": "option", "field": "f1", "value": ["o1"]})])
    assert (shape["field_id"], shape["option_id"]) == ("id", "id")


@pytest.mark.parametrize("beside", [{}, {"position": 1}], ids=["values alone", "results have a place too"])
def test_types_and_lists_that_no_asset_uses_yet_make_no_id_of_a_place(beside):
    def of_type(number):
        kinds = {1: "number", 2: "option"}
        options = [{"key": f"o{number}-{at}", "label": f"Option {at}", "position": at} for at in range(9)]
        defined = [
            {"id": f"f{number}-{at}", "type": kinds.get(at, "text"), "label": f"Field {at}", "position": at}
            for at in range(9)
        ]
        return asset_type(*({**one, "options": options} if one["type"] == "option" else one for one in defined))

    def of_asset(count):
        number = {"type": "number", "field": "f0-1", "value": count}
        option = {"type": "option", "field": "f0-2", "value": [f"o0-{count}"]}
        texts = [{"type": "text", "field": f"f0-{at}", "value": "x"} for at in range(3, 9)]
        return asset(*(one | beside for one in (number, option, *texts)))

    shape = definition_shape([of_type(number) for number in range(10)], [of_asset(count) for count in range(9)])
    assert (shape["field_id"], shape["option_id"]) == ("id", "key")


@pytest.mark.parametrize("assets", [1, 9])
def test_the_number_of_a_result_does_not_name_its_field(assets):
    numbers = [range(20 * n, 20 * n + 20) for n in range(assets)]
    found = [
        asset(*({"id": one, "fieldDefinitionId": one % 20, "type": "text", "value": "v"} for one in of_asset))
        for of_asset in numbers
    ]
    assert result_shape(found, {str(n) for n in range(60)})["field"] == "fieldDefinitionId"


def test_definitions_keyed_by_id_keep_it_where_results_show_id_and_name():
    types = [{"id": "t", "fields": {"7": {"type": "text", "name": "Serial"}, "8": {"type": "text", "name": "Maker"}}}]
    results = [{"type": "text", "field": {"id": key, "name": name}} for key, name in ((7, "Serial"), (8, "Maker"))]
    assert definition_shape(types, [asset(*results)])["field_id"] == "(bare)"


@pytest.mark.parametrize("place", ["order", "position", "sortOrder"])
def test_the_place_of_a_result_does_not_name_its_field_where_ids_are_small_numbers(place):
    results = [{"type": "text", place: n, "target": n + 1, "value": "x"} for n in (1, 2)]
    assert result_shape([asset(*results), asset(results[1] | {place: 1})], "123")["field"] == "target"


def test_a_result_that_refers_to_another_field_too_keeps_its_own():
    results = [{"type": "text", "field": f"f{n}", "value": "v"} for n in range(10)]
    results[3] |= {"dependsOn": "f1"}
    assert result_shape([asset(*results)], {f"f{n}" for n in range(9)})["field"] == "field"


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        pytest.param([{"label": "A"}, {"name": "B"}], "label, name", id="two names"),
        pytest.param([{"label": "A"}, {"label": {"text": "B"}}], "label, label.text", id="an object"),
        pytest.param([{"label": "A", "name": "a"}, {"label": "B", "name": "b"}], "label", id="beside the better one"),
        pytest.param([{"label": "A"}, {"label": None, "name": "b"}], "label", id="a null is an answer"),
        pytest.param(
            [{"label": None, "name": n} for n in "abc"] + [{"label": "D", "name": "d"}], "name", id="mostly null"
        ),
        pytest.param(
            [{"label": None, "group": "g"} for _ in "abc"] + [{"label": "D", "group": "g"}], "label", id="no other name"
        ),
        pytest.param(
            [{"label": None, "createdBy": {"name": "Ann"}} for _ in "abc"] + [{"label": "D"}], "label", id="a person"
        ),
        pytest.param([{"label": "A"}, {"description": "Measure it"}], "label", id="a description is no label"),
        pytest.param([{"label": "A"}, {"createdBy": {"name": "Ann"}}], "label", id="a name of something else"),
    ],
)
def test_labels_may_have_several_names(labels, found):
    fields = [{"id": f"f{place}", "type": "text"} | one for place, one in enumerate(labels)]
    assert definition_shape([asset_type(one) for one in fields])["field_label"] == found
    options = [{"id": f"o{place}"} | one for place, one in enumerate(labels)]
    of_options = [{"id": "f", "label": "State", "type": "option", "options": options}]
    assert definition_shape([asset_type(*of_options)])["option_label"] == found


@pytest.mark.parametrize(
    ("lists", "found"),
    [
        pytest.param([{"options": ["a"]}, {"choices": ["b"]}], "options, choices", id="two names"),
        pytest.param([{"options": {"a": "A"}}, {"choices": ["b"]}], "options, choices", id="an object"),
        pytest.param([{"options": {"a": "A"}}, {"options": {"b": "B"}}], "options", id="objects"),
        pytest.param([{"options": ["a"], "values": ["b"]}, {"options": ["a"]}], "options", id="beside the better one"),
        pytest.param([{"options": ["a"]}, {"tags": ["b"]}], "options", id="a name that says no options"),
    ],
)
def test_options_may_have_several_names(lists, found):
    types = [asset_type({"id": f"f{place}", "type": "option"} | one) for place, one in enumerate(lists)]
    assert definition_shape(types)["field_options"] == found


def test_without_definitions_or_results_nothing_is_settled():
    assert definition_shape([], [asset()]) == {}
    assert definition_shape([{"id": "t"}, {"id": "u", "fields": None}, "t"]) == {}
    assert result_shape([asset(), {"id": "b"}, {"fields": 7}, asset("text")], {"f"}) == {}


@pytest.mark.parametrize(
    ("result", "found"),
    [
        pytest.param({"field": "f", "value": 5}, {"field": "field", "value:number": "value"}, id="plain"),
        pytest.param(
            {"id": "f", "value": 5}, {"field": "id", "value:number": "value"}, id="the result's id is the field's"
        ),
        pytest.param(
            {"id": "r9", "ref": "f", "value": 5}, {"field": "ref", "value:number": "value"}, id="an id of its own"
        ),
        pytest.param(
            {"field": {"id": "f", "label": "L"}, "value": 5},
            {"field": "field.id", "value:number": "value"},
            id="object",
        ),
        pytest.param(
            {"field": "f", "number": 5}, {"field": "field", "value:number": "number"}, id="named for its kind"
        ),
        pytest.param(
            {"field": "f", "label": "L", "reading": 5}, {"field": "field", "value:number": "reading"}, id="what is left"
        ),
        pytest.param(
            {"field": "f", "value": 4, "number": 5}, {"field": "field", "value:number": "value"}, id="value wins"
        ),
        pytest.param({"field": "f"}, {"field": "field"}, id="no value at all"),
    ],
)
def test_a_result_s_field_and_value_are_found(result, found):
    assert result_shape([asset({"type": "number", **result})], {"f", "g"}) == found


TEXT, NUMBER = {"type": "text", "field": "f", "value": "x"}, {"type": "number", "field": "n", "value": 7}
OF_BOTH = {"value:text": "value", "value:number": "value"}


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        pytest.param(
            [{"f": "x", "n": 7, "i": {"url": "u", "type": "image/png"}}], {"field": "(bare)"}, id="values alone"
        ),
        pytest.param(
            [{"f": {"type": "text", "value": "x"}, "n": {"type": "number", "value": 7}}],
            {"field": "(bare)"} | OF_BOTH,
            id="with their types",
        ),
        pytest.param(
            [{"0": TEXT, "2": NUMBER}, [TEXT, NUMBER]], {"field": "field"} | OF_BOTH, id="an array with gaps, from PHP"
        ),
        pytest.param(
            [[TEXT], {"f": {"type": "text", "value": "y"}}, {"f": "x", "n": 7}],
            {"field": "(bare), field", "value:text": "value"},
            id="beside arrays",
        ),
    ],
)
def test_results_may_be_an_object_that_is_keyed_by_field(fields, found):
    assert result_shape([{"id": "a", "fields": one} for one in fields], {"f", "n", "i"}) == found


def test_results_without_a_type_have_a_value_too():
    untyped = [{"field": "f", "value": 7}, {"field": "g", "value": "x"}]
    assert result_shape([asset(*untyped)], {"f", "g"}) == {"field": "field", "value:": "value"}


def test_a_value_that_happens_to_be_a_field_s_id_does_not_make_it_the_reference():
    results = [{"type": "text", "field": name, "value": value} for name, value in (("f", "g"), ("g", "x"), ("h", "y"))]
    assert result_shape([asset(*results)], {"f", "g", "h"})["field"] == "field"


@pytest.mark.parametrize(
    ("kind", "members", "found"),
    [
        ("image", {"size": 5, "url": "https://x/1.jpg", "mime": "image/jpeg"}, "url"),
        ("file", {"bytes": 5, "href": "/files/1", "checksum": "ab"}, "href"),
        ("image", {"hash": "ab", "thumb": None, "url": "data:image/png;base64,AA"}, "url"),
        ("pin", {"by": "Ann", "point": {"x": 0.1, "y": 0.2}}, "point"),
        ("option", {"comment": "c", "selected": ["o1"]}, "selected"),
        ("number", {"comment": "c", "reading": 5.5}, "reading"),
        ("date", {"by": "Ann", "day": "2026-01-02"}, "day"),
        ("time", {"by": "Ann", "clock": "10:11"}, "clock"),
    ],
)
def test_of_unlikely_members_the_one_that_looks_like_its_kind_is_the_value(kind, members, found):
    results = [asset({"type": kind, "field": f"f{n}"} | members) for n in range(3)]
    assert result_shape(results, {"f0", "f1", "f2"})[f"value:{kind}"].split(", ")[0] == found


@pytest.mark.parametrize(
    ("kind", "held", "found"),
    [
        ("qr", {"textValue": "Q1", "numberValue": None, "optionIds": []}, "textValue"),
        ("qr", {"text": "Q1", "date": None, "number": None}, "text"),
        ("qr", {"textValue": "Q1", "numberValue": 0, "isSet": True}, "textValue"),
        ("qr", {"textValue": "Q1", "dateValue": None, "pin": None, "file": []}, "textValue"),
        ("image", {"blob": {"url": "https://x/1.jpg"}, "asset": None, "optionIds": []}, "blob"),
        ("image", {"displayValue": "1.jpg", "fileValue": {"url": "https://x/1.jpg"}}, "fileValue"),
    ],
)
def test_of_a_member_for_each_kind_of_value_the_one_that_has_it_is_the_value(kind, held, found):
    """A qr is a text too, and was read from the member for dates, which is blank in each."""
    results = [asset({"type": kind, "field": f"f{n}"} | held) for n in range(3)]
    assert result_shape(results, {"f0", "f1", "f2"})[f"value:{kind}"].split(", ")[0] == found


@pytest.mark.parametrize(
    ("kind", "held", "found"),
    [
        ("option", {"value": ["Good"], "valueIds": ["o1"]}, "valueIds"),
        ("option", {"value": "Good", "optionIds": ["o1"]}, "optionIds"),
        ("option", {"value": "Good; Poor", "optionIds": ["o1", "o2"]}, "optionIds"),
        ("option", {"value": ["o1"], "optionIds": ["o2"]}, "value"),
        ("option", {"value": "Good", "options": ["o1", "o2"]}, "value"),
        ("number", {"value": "12.5 mm", "numberValue": 12.5}, "numberValue"),
        ("number", {"value": 12.5, "numberValue": 3}, "value"),
        ("date", {"value": "on 3 May 2026", "dateValue": "2026-05-03"}, "dateValue"),
        ("text", {"value": "red", "textValue": "RED"}, "value"),
    ],
)
def test_a_value_for_people_leaves_the_place_to_the_one_of_the_kind(kind, held, found):
    """Options were labels in place of ids, with exit code 0; a number for people ended each run with 3."""
    results = [asset({"type": kind, "field": f"f{n}"} | held) for n in range(3)]
    shape = Shape("assets")
    find_result_shape(shape, results, {"f0", "f1", "f2"}, {"o1", "o2"})
    assert shape.choices[f"result_value:{kind}"].paths[0] == (found,)


def test_the_own_id_of_results_is_no_value_where_results_of_other_kinds_have_one():
    """Fields that nobody had filled in looked filled."""
    told = {"type": "text", "field": "f1", "value": "x"}
    unfilled = {"type": "file", "field": "f2", "id": "r2"}
    assert "value:file" not in result_shape([asset(told | {"id": "r1"}, unfilled)], {"f1", "f2"})
    assert result_shape([asset(told, unfilled)], {"f1", "f2"})["value:file"] == "id"
    assert result_shape([asset(unfilled | {"updatedAt": "x", "vault": "y"})], {"f2"})["value:file"] == "vault"


def test_each_kind_has_a_value_of_its_own():
    results = [
        {"type": "text", "field": "f", "text": "x"},
        {"type": "image", "field": "g", "image": {"url": "u"}},
        {"type": "pin", "field": "h", "value": {"x": 1}},
    ]
    found = result_shape([asset(*results)], {"f", "g", "h"})
    assert found == {"field": "field", "value:image": "image", "value:pin": "value", "value:text": "text"}


@pytest.mark.parametrize(
    ("kind", "results", "found"),
    [
        pytest.param("option", [{"value": ["a"]}, {"values": ["a", "b"]}], "value, values", id="one and several"),
        pytest.param("text", [{"textValue": "x"}, {"value": None}], "value, textValue", id="named for its kind"),
        pytest.param("text", [{"value": "x"}, {"value": "y", "values": ["y"]}], "value", id="beside the better one"),
        pytest.param("text", [{"value": "x"}, {"id": "r1", "label": "L"}], "value", id="never an id or a label"),
        pytest.param("text", [{"value": "x"}, {"note": "n"}], "value", id="never a name that says no value"),
        pytest.param("", [{"value": "x"}, {"id": "r1"}], "value", id="nor an id of an untyped one"),
        pytest.param(
            "date", [{"value": "x"}, {"dateValue": "y"}, {"content": "z"}], "value, dateValue, content", id="three"
        ),
    ],
)
def test_a_kind_may_have_its_value_in_several_places(kind, results, found):
    typed = [{"type": kind, "field": "f"} | result for result in results]
    assert result_shape([asset(one) for one in typed], {"f"})[f"value:{kind}"] == found


@pytest.mark.parametrize(
    ("references", "found"),
    [
        pytest.param([{"field": "f"}, {"field": "g"}, {"fieldId": "h"}], "field, fieldId", id="two names"),
        pytest.param(
            [{"field": "f"}, {"field": "h"}, {"field": {"label": "g", "id": "g"}}], "field, field.id", id="an object"
        ),
        pytest.param([{"field": "f"}, {"field": "g", "fieldId": "g"}], "field", id="beside the first"),
        pytest.param([{"field": "f"}, {"field": "h"}, {"content": "g"}], "field", id="never a value"),
        pytest.param([{"field": "f"}, {"ref": "unknown"}], "field", id="never an unknown id"),
        pytest.param([{"field": None, "fieldId": "f"}, {"field": "g", "fieldId": None}], "field, fieldId", id="nulls"),
    ],
)
def test_results_may_name_their_field_in_several_places(references, found):
    results = [{"type": "text", "value": "x"} | reference for reference in references]
    assert result_shape([asset(*results)], {"f", "g", "h"})["field"] == found


@pytest.mark.parametrize(
    ("results", "found"),
    [
        pytest.param([{"value": None, "text": "x"}, {"value": "y", "text": None}], "value, text", id="nulls"),
        pytest.param([{"value": "", "textValue": "x"}, {"value": "y"}], "value, textValue", id="empty"),
        pytest.param(
            [{"value": None, "text": "Label"}, *[{"value": "y", "text": "Label"}] * 2], "value", id="no value"
        ),
        pytest.param([{"value": "y", "text": "x"}, *[{"text": "z"}] * 2], "value, text", id="a lone contradiction"),
        pytest.param([{"value": "y"}, {"value": None, "note": "x"}], "value", id="any name"),
    ],
)
def test_a_blank_first_place_leaves_the_value_to_the_second(results, found):
    assert (
        result_shape([asset(*({"type": "text", "field": "f"} | one for one in results))], {"f"})["value:text"] == found
    )


@pytest.mark.parametrize(
    ("results", "found"),
    [
        pytest.param(
            [{"value": "a", "values": ["a", "b"]}, {"value": "c", "values": ["c"]}, {"value": None, "values": []}],
            "values",
            id="a list",
        ),
        pytest.param(
            [{"value": one, "values": ["a", "b"]} for one in ("a", "b", None, None, None)], "value", id="all choices"
        ),
        pytest.param(
            [{"value": one, "options": ["a", "b"]} for one in ("a", "a", None)], "value", id="all choices, by kind"
        ),
        pytest.param([{"value": "a", "values": ["a"]}, {"value": "b", "values": ["b"]}], "value", id="nothing more"),
        pytest.param(
            [{"value": "a", "values": ["a", "b"]}, {"value": "c", "values": ["a", "b"]}], "value", id="choices"
        ),
        pytest.param([{"value": "a", "values": ["a", "b"]}, {"value": "b"}], "value", id="not in each"),
    ],
)
def test_a_list_of_all_values_beats_the_first_of_them(results, found):
    assert (
        result_shape([asset(*({"type": "option", "field": "f"} | one for one in results))], {"f"})["value:option"]
        == found
    )


@pytest.mark.parametrize(
    ("results", "found"),
    [
        pytest.param([{"data": {"field": "f", "value": "x"}}], "data.value", id="in the object of the reference"),
        pytest.param([{"data": {"field": "f", "value": "x"}, "rank": 1}], "data.value", id="beside a stranger"),
        pytest.param([{"data": {"field": "f", "value": "x"}, "content": "y"}], "content", id="a likely name beside it"),
        pytest.param(
            [{"field": "f", "value": "x"}, {"data": {"field": "f", "text": "x"}}], "value, data.text", id="both"
        ),
    ],
)
def test_a_value_may_be_in_the_object_that_names_the_field(results, found):
    assert result_shape([asset(*({"type": "text"} | one for one in results))], {"f"})["value:text"] == found


@pytest.mark.parametrize(
    ("kind", "results", "found"),
    [
        pytest.param("number", [{"value": {"value": 1}}], "value.value, value", id="named value"),
        pytest.param(
            "number", [{"value": {"number": 1, "unit": "mm"}}], "value.number, value", id="named for its kind"
        ),
        pytest.param("text", [{"value": {"text": None}}, {"value": "x"}], "value.text, value", id="in some, and null"),
        pytest.param("date", [{"value": "2026-01-02"}], "value", id="a plain value"),
        pytest.param("text", [{"value": {"en": "x"}}], "value", id="a language"),
        pytest.param("number", [{"value": {"amount": 1, "unit": "mm"}}], "value.amount, value", id="an amount"),
        pytest.param("number", [{"value": {"amount": "1.5", "scale": 1}}], "value", id="an amount in a text"),
        pytest.param("number", [{"value": {"low": 1, "high": 2}}], "value", id="two numbers"),
        pytest.param("number", [{"value": {"unit": "m", "scale": 2}}] * 5, "value", id="the same everywhere"),
        pytest.param("qr", [{"value": {"code": "40417", "format": 2}}], "value.code, value", id="a code"),
        pytest.param("date", [{"value": {"am": "2026-01-02", "zone": "UTC"}}], "value.am, value", id="a day"),
        pytest.param("option", [{"value": {"optionIds": ["o"]}}], "value.optionIds, value", id="choices"),
        pytest.param("option", [{"value": {"value": "o", "label": "O"}}], "value", id="one choice"),
        pytest.param("image", [{"value": {"data": "x", "name": "y"}}], "value", id="an image of two members"),
        pytest.param("file", [{"value": {"files": [{"url": "/x"}]}}], "value.files, value", id="a file around it"),
        pytest.param("pin", [{"value": {"x": 1, "y": 2}}], "value", id="a pin"),
    ],
)
def test_a_value_may_be_in_an_object_of_its_own(kind, results, found):
    told = asset(*({"type": kind, "field": "f"} | one for one in results))
    assert result_shape([told], {"f"})[f"value:{kind}"] == found


def test_a_value_that_moves_into_an_object_keeps_its_earlier_place():
    shape = Shape("assets")
    for held in ("x", {"value": "x"}, "x"):
        find_result_shape(shape, [asset({"type": "text", "field": "f", "value": held})], {"f"})
    assert {*shape.choices["result_value:text"].paths} == {("value",), ("value", "value")}


def test_a_second_place_is_told_with_its_evidence():
    shape = Shape("assets")
    results = [{"type": "option", "field": "f", name: ["a"]} for name in ("value", "value", "values")]
    find_result_shape(shape, [asset(*results)], {"f"})
    evidence = "the member called value; in 2 of 3 option results, values in 1 without it"
    assert shape.choices["result_value:option"].evidence == evidence


def test_a_place_stays_while_nothing_contradicts_it():
    shape = Shape("assets")
    both, first, moved = (
        [{"type": "text", "field": "f", name: "x"} for name in names]
        for names in (("value", "textValue"), ("value",), ("content",))
    )
    for results, found in (
        (both, "value, textValue"),
        (first, "value, textValue"),
        (moved, "content, value, textValue"),
    ):
        find_result_shape(shape, [asset(*results)], {"f"})
        assert shape.choices["result_value:text"].text == found


@pytest.mark.parametrize("said", ["Pass", None])
def test_a_backfill_moves_no_value_though_all_of_one_property_are_alike(said):
    shape = Shape("assets")
    results = [{"type": "text", "field": "f1", "antwort": f"x{at}", "quelle": "app"} for at in range(6)]
    alike = [one | {"antwort": said, "quelle": f"app {at}"} for at, one in enumerate(results)]
    find_result_shape(shape, [asset(*results)], {"f1"})
    find_result_shape(shape, [asset(*alike)], {"f1"}, is_whole=False)
    assert shape.choices["result_value:text"].text == "antwort"


def test_a_backfill_follows_a_value_that_moved_to_another_usual_name():
    """A hint may be the first to see it, and its records would have no value until the next sync."""
    shape = Shape("assets")
    find_result_shape(shape, [asset(*({"type": "text", "field": "f1", "value": f"x{at}"} for at in range(6)))], {"f1"})
    moved = [{"type": "text", "field": "f1", "textValue": f"y{at}"} for at in range(6)]
    find_result_shape(shape, [asset(*moved)], {"f1"}, is_whole=False)
    assert shape.choices["result_value:text"].text == "textValue, value"


def test_a_backfill_moves_no_id_of_a_field():
    shape = Shape("asset_types")
    types = [
        asset_type(*({"schluessel": f"f{at}", "alt": str(at), "label": f"L{at}", "type": "text"} for at in (0, 1)))
    ]
    find_definition_shape(
        shape, types, [asset({"type": "text", "field": "f0"}, {"type": "text", "field": "f1"})], FIELDS
    )
    find_definition_shape(shape, types, [asset({"type": "text", "x": "0", "y": "1"})], FIELDS, is_whole=False)
    assert shape.choices["field_id"].text == "schluessel"


def test_a_single_choice_does_not_contradict_a_list_of_it():
    shape = Shape("assets")
    later = [{"value": "a", "values": ["a", "b"]}, {"value": "c", "values": ["c"]}]
    for told in ([{"value": ["a"]}], later):
        find_result_shape(shape, [asset(*({"type": "option", "field": "f"} | one for one in told))], {"f"})
    assert shape.choices["result_value:option"].text == "values, value"


def test_a_reference_that_moves_keeps_its_earlier_place():
    shape = Shape("assets")
    for name, found in (("field", "field"), ("fieldId", "fieldId, field"), ("field", "fieldId, field")):
        find_result_shape(shape, [asset({"type": "text", name: "f", "value": "x"})], {"f"})
        assert shape.choices["result_field"].text == found
    find_result_shape(shape, [asset({"type": "text", "fieldId": "f", "field": "Serial", "value": "x"})], {"f"})
    assert shape.choices["result_field"].text == "fieldId"


def test_a_reference_that_no_value_speaks_for_is_called_likely():
    shape = Shape("assets")
    find_result_shape(shape, [asset({"type": "text", "field": "unknown", "value": "x"})], set())
    assert (shape.choices["result_field"].text, shape.choices["result_field"].source) == ("field", "likely")


def test_what_people_decided_stays():
    shape = Shape("assets", {"result_field": Choice((("mine",),), "configured", "")})
    find_result_shape(shape, [asset({"type": "text", "field": "f", "mine": "f", "value": "x"})], {"f"})
    assert shape.paths("result_field") == (("mine",),)


def test_what_people_decided_must_lead_somewhere():
    shape = Shape("assets", {"result_field": Choice((("mine",),), "configured", "")})
    with pytest.raises(ShapeUnknown, match="mine is in none of 1 records"):
        find_result_shape(shape, [asset({"type": "text", "field": "f", "value": "x"})], {"f"})


@pytest.mark.parametrize("other", ["display", "formatted"])
def test_of_members_that_look_alike_the_one_named_a_value_is_the_value(other):
    results = [{"type": "text", "field": "f", other: f"no. {one}", "rawValue": one} for one in ("7", "8")]
    shape = Shape("assets")
    find_result_shape(shape, [asset(*results)], {"f"})
    assert shape.choices["result_value:text"].text == "rawValue"


def test_the_name_of_a_member_that_people_decided_is_in_no_array():
    shape = Shape("assets", {"result_field": Choice(((),), "configured", "")})
    with pytest.raises(ShapeUnknown, match=r"\[shapes.assets\] .*: \(bare\) is in none of 1 records"):
        find_result_shape(shape, [asset({"type": "text", "field": "f", "value": "x"})], {"f"})


def assessment(*flags):
    return {"id": "a", "flags": list(flags)}


@pytest.mark.parametrize(
    ("flags", "path"),
    [
        pytest.param([{"id": 1, "history": [{"at": 1}]}], "history", id="plain"),
        pytest.param([{"id": 1, "changes": [{"at": 1}], "people": [{"id": 1}]}], "changes", id="by its name"),
        pytest.param([{"id": 1, "foo": [{"at": 1}], "tags": ["x"]}], "foo", id="the array of objects"),
        pytest.param([{"id": 1, "history": []}, {"id": 2, "history": [{"at": 1}]}], "history", id="empty at first"),
        pytest.param([{"id": 1, "history": {"total": 1, "items": [{"at": 1}]}}], "history.items", id="in an object"),
        pytest.param([{"id": 1, "raised": {"by": [{"id": 1}]}}], None, id="in an object of another name"),
        pytest.param([{"id": 1, "history": []}, "text", None, {}], None, id="none to be seen yet"),
    ],
)
def test_a_flag_s_history_is_its_array_of_objects(flags, path):
    shape = Shape("assessments")
    find_flag_history(shape, [assessment(*flags), {"id": "b"}, {"flags": None}])
    assert (shape.choices["flag_history"].text if shape.has("flag_history") else None) == path


def test_flags_may_be_an_object_that_is_keyed_by_their_name():
    shape = Shape("assessments")
    find_flag_history(shape, [{"id": "a", "flags": {"overdue": {"history": [{"state": "open"}]}, "seen": True}}])
    assert shape.choices["flag_history"].text == "history"


def test_flags_may_name_their_history_differently():
    shape = Shape("assessments")
    older, newer = {"history": [{"at": 1}]}, {"log": [{"at": 1}], "people": [{"id": 1}]}
    find_flag_history(shape, [assessment(newer, older, {"people": [{"id": 1}]})])
    assert shape.choices["flag_history"].paths == (("history",), ("log",))
    assert shape.choices["flag_history"].evidence == "an array of objects in 2 flags"


def test_a_history_that_people_decided_must_lead_somewhere():
    shape = Shape("assessments", {"flag_history": Choice((("log",),), "configured", "")})
    find_flag_history(shape, [assessment({"history": [], "log": None}), assessment({"history": []})])
    find_flag_history(shape, [{"id": "a"}])  # no flag says anything
    find_flag_history(shape, [assessment({"id": 1})], is_whole=False)  # a part may lack it
    assert shape.paths("flag_history") == (("log",),)
    with pytest.raises(ShapeUnknown, match=r"\[shapes.assessments\] flag_history: log is in none of 1 records"):
        find_flag_history(shape, [assessment({"id": 1, "history": [{"at": 1}]})])


def test_a_kind_without_results_is_named_only_if_all_results_say_theirs():
    chosen = Choice((("value",),), "configured", "")
    shape = Shape("assets", {"result_value:text": chosen, "result_value:tekst": chosen})
    text = {"type": "text", "field": "f", "value": "x"}
    assert kinds_without_results(shape, [asset(text)]) == ["tekst"]
    assert kinds_without_results(shape, [asset(text, {"field": "g", "value": "y"})]) == []
    assert kinds_without_results(shape, [{"id": "a"}]) == []
