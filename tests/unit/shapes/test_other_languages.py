"""Promises of shape finding where the members have names that propsync does not know, as in other languages."""

import pytest

from propsync.shapes import UNREAD, Choice, Shape, find_definition_shape, find_result_shape, look_into_assets

LABELS = ("Höhe", "Breite", "Prüfung am", "Zustand")


def definitions(**more):
    """Four text fields with a foreign label, and more members, each a function of the field's number."""
    return [
        {"type": "text", "bezeichnung": label, **{name: said(at) for name, said in more.items()}}
        for at, label in enumerate(LABELS)
    ]


def assets(*results):
    return [{"id": f"a{at}", "fields": [result]} for at, result in enumerate(results)]


def definition_shape(of_type, recorded=()):
    shape = Shape("asset_types")
    find_definition_shape(shape, [{"id": "t", "fields": of_type}], recorded, ("fields",))
    return {part: choice.text for part, choice in shape.choices.items()}


def value_place(kind, *results):
    shape = Shape("assets")
    find_result_shape(shape, assets(*results), {"f0", "f1", "f2", "f3"})
    return shape.choices[f"result_value:{kind}"].text


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        ("abschnitt", lambda _: "Allgemein"),
        ("angelegt", lambda at: f"2025-01-01T00:00:0{at}Z"),
        ("anleitung", lambda at: f"https://help.example/{at}"),
        ("altnummer", lambda at: at),
        ("alt_slug", lambda at: f"feld-{at}"),
        ("alt", lambda at: f"0{at + 1}.01.2025"),
        ("absatz", lambda at: f"1.{at}"),
        ("anstrich", lambda at: f"#0000f{at}"),
        ("aHint", lambda at: ("a", "b", "c", "d")[at]),
    ],
)
def test_a_label_without_a_usual_name_is_the_text_that_differs(beside, said):
    of_type = definitions(id=lambda at: f"f{at}", **{beside: said})
    assert definition_shape(of_type)["field_label"] == "bezeichnung"


def test_a_label_may_begin_with_a_day():
    of_type = [
        {"type": "text", "id": f"f{at}", "wortlaut": f"2024-01-0{at + 1} inspection", "bereich": "A"} for at in (0, 1)
    ]
    assert definition_shape(of_type)["field_label"] == "wortlaut"


def test_an_options_color_is_no_label():
    options = [{"id": f"o{at}", "naam": word, "color": color} for at, (word, color) in enumerate(PAINTED)]
    shape = definition_shape([{"id": "f0", "label": "State", "type": "option", "options": options}])
    assert (shape["option_id"], shape["option_label"]) == ("id", "naam")


PAINTED = (("Goed", "red"), ("Matig", "green"), ("Slecht", "red"), ("Onbekend", "green"))


def test_the_label_of_an_option_by_its_id_is_no_label_of_a_field():
    options = {"o1": {"title": "Gut"}, "o2": {"title": "Schlecht"}}
    of_type = definitions(id=lambda at: f"f{at}")
    of_type[3] |= {"type": "option", "options": options}
    assert definition_shape(of_type)["field_label"] == "bezeichnung"


@pytest.mark.parametrize(("key", "label"), [("veldId", "title"), ("schluessel", "label"), ("veldId", "name")])
def test_a_label_is_no_id_though_results_show_it_beside_the_id(key, label):
    of_type = [{"type": "text", key: f"f{at}", label: words} for at, words in enumerate(LABELS)]
    results = [{"type": "text", "fieldId": f"f{at}", "name": words, "value": "x"} for at, words in enumerate(LABELS)]
    shape = definition_shape(of_type, assets(*results))
    assert (shape["field_id"], shape["field_label"]) == (key, label)


def test_a_foreign_label_is_no_id_though_results_show_it_as_a_label():
    of_type = definitions(identnummer=lambda at: f"f{at}")
    results = [{"type": "text", "feld": {"x": f"f{at}", "label": words}} for at, words in enumerate(LABELS)]
    shape = definition_shape(of_type, assets(*results))
    assert (shape["field_id"], shape["field_label"]) == ("identnummer", "bezeichnung")


def test_a_chosen_option_with_its_label_is_read_by_its_id():
    words = ["Good", "Poor"]
    of_type = [
        {
            "type": "option",
            "id": f"f{at}",
            "label": label,
            "options": [{"kennung": f"o{at}{one}", "title": word} for one, word in enumerate(words)],
        }
        for at, label in enumerate(LABELS)
    ]
    results = [
        {"type": "option", "field": f"f{at}", "value": [{"kennung": f"o{at}{at % 2}", "title": words[at % 2]}]}
        for at in range(4)
    ]
    shape = definition_shape(of_type, assets(*results))
    assert (shape["option_id"], shape["option_label"]) == ("kennung", "title")


def test_an_id_with_a_foreign_name_is_no_label_where_assets_name_options_by_their_labels():
    options = [{"alternativId": str(1100 + at), "namn": word} for at, word in enumerate(["Bra", "Dålig"])]
    of_type = [{"type": "option", "id": "f0", "label": "Skick", "options": options}]
    shape = definition_shape(of_type, assets({"type": "option", "field": "f0", "value": ["Bra", "Dålig"]}))
    assert (shape["option_id"], shape["option_label"]) == ("namn", "namn")


@pytest.mark.parametrize(("key", "label"), [("nyckel", "etikett"), ("schluessel", "bezeichnung")])
def test_of_two_foreign_names_the_one_with_words_is_the_label(key, label):
    """The alphabet decided, and every field had its label for an id."""
    of_type = [
        {
            "type": "option",
            key: f"7acb{at}e",
            label: words,
            "options": [{key: f"9{at}", label: "Bra"}, {key: f"8{at}", label: "Inte bra"}],
        }
        for at, words in enumerate(LABELS)
    ]
    results = [
        {"type": "option", "of": {key: f"7acb{at}e", label: words}, "value": [{key: f"9{at}", label: "Bra"}]}
        for at, words in enumerate(LABELS)
    ]
    shape = definition_shape(of_type, assets(*results))
    assert (shape["field_id"], shape["field_label"]) == (key, label)
    assert (shape["option_id"], shape["option_label"]) == (key, label)


def test_results_that_name_a_field_by_its_name_alone_still_count():
    of_type = [{"type": "text", "name": f"feld_{at}", "label": words} for at, words in enumerate(LABELS)]
    results = [{"type": "text", "name": f"feld_{at}", "label": words, "value": "x"} for at, words in enumerate(LABELS)]
    shape = definition_shape(of_type, assets(*results))
    assert (shape["field_id"], shape["field_label"]) == ("name", "label")


def test_numbers_that_assets_happen_to_have_replace_no_name_to_which_results_refer():
    of_type = [{"type": "number", "id": str(at), "name": words} for at, words in enumerate(LABELS)]
    results = [{"type": "number", "name": words, "value": at % 3} for at, words in enumerate(LABELS)]
    assert definition_shape(of_type, assets(*results))["field_id"] == "name"


@pytest.mark.parametrize("kind", ["text", "number", "image", "qr"])
def test_whether_a_field_is_required_is_no_value(kind):
    said = {"number": 12.5, "image": "https://cdn.example/1.jpg"}.get(kind, "abc")
    results = [{"type": kind, "fieldId": "f0", "required": at > 1} for at in range(4)]
    assert value_place(kind, *results, {"type": kind, "fieldId": "f0", "required": True, "wert": said}) == "wert"


def test_a_kind_that_the_document_lacks_may_be_true_or_false():
    results = [{"type": "switch", "fieldId": "f0", "wert": at > 1, "quelle": None} for at in range(4)]
    assert value_place("switch", *results) == "wert"


def test_a_unit_in_each_result_is_not_the_value_that_some_have():
    results = [{"type": "number", "fieldId": "f0", "einheit": "mm", "wert": at} for at in range(4)]
    assert value_place("number", *results, {"type": "number", "fieldId": "f0", "einheit": "mm"}) == "wert"


def test_a_language_in_each_result_is_not_the_text_that_some_have():
    results = [{"type": "text", "fieldId": "f0", "lang": "de", "wert": f"Tür {at}"} for at in range(5)]
    assert value_place("text", *results, {"type": "text", "fieldId": "f0", "lang": "de"}) == "wert"


def test_a_raw_value_that_is_the_same_everywhere_stays_the_value():
    results = [{"type": "text", "fieldId": "f0", "rawValue": "Pass", "quelle": f"app {at}"} for at in range(6)]
    assert value_place("text", *results) == "rawValue"


@pytest.mark.parametrize("kind", ["image", "file"])
def test_a_link_counts_where_only_what_is_empty_has_a_value(kind):
    link = {"type": kind, "fieldId": "f0", "filename": "a.jpg", "url": "https://cdn.example/1", "width": 640}
    place = value_place(kind, {"type": kind, "fieldId": "f0", "value": None}, link)
    assert place == "value, url"


@pytest.mark.parametrize("key", ["schluessel", "feldId", "uid"])
@pytest.mark.parametrize("called", ["name", "label"])
def test_a_field_is_known_by_its_id_though_results_call_it_a_label(key, called):
    of_type = [
        {"type": "number", key: f"f{at}", "title": words, "ordnung": at, "legacyId": at}
        for at, words in enumerate(LABELS)
    ]
    results = [{"type": "number", called: f"f{at}", "wert": at % 3} for at in range(4)]
    results.append({"type": "number", called: "f0", "wert": 12})
    shape = definition_shape(of_type, assets(*results))
    assert (shape["field_id"], shape["field_label"]) == (key, "title")


def test_a_version_in_each_result_does_not_name_the_only_field():
    of_type = [{"type": "text", "id": "f0", "title": "Tür", "legacyId": 1}]
    results = [{"type": "text", "name": "f0", "version": 1, "value": "x"}]
    assert definition_shape(of_type, assets(*results))["field_id"] == "id"


@pytest.mark.parametrize("kind", ["image", "file"])
def test_a_link_to_each_result_is_no_picture_where_most_have_none(kind):
    results = [{"type": kind, "fieldId": "f0", "value": None, "url": f"https://api.example/r/{at}"} for at in range(6)]
    results[0]["value"] = "img-1"
    assert value_place(kind, *results) == "value"


@pytest.mark.parametrize("holder", ["data", "attributes"])
def test_a_value_in_the_object_that_holds_all_of_a_result_is_found_under_any_name(holder):
    fields = {"feldId": {"id": "f0", "label": "Höhe"}, "label": "Höhe", "wert": "abc"}
    assert value_place("text", {"type": "text", holder: fields}) == f"{holder}.wert"


def test_the_object_that_names_a_field_is_not_its_value():
    empty = {"type": "text", "field": {"id": "f0", "einheit": "mm"}}
    shape = Shape("assets")
    find_result_shape(shape, assets(empty, empty), {"f0"})
    assert not shape.has("result_value:text")


def test_attributes_without_a_value_are_no_value():
    names = {"field": {"data": {"type": "fields", "id": "f0"}}}
    said = {"type": "text", "relationships": names, "attributes": {"value": "abc", "updatedAt": "2026-01-01"}}
    empty = {"type": "text", "relationships": names, "attributes": {"updatedAt": "2026-01-01"}}
    assert value_place("text", said, empty) == "attributes.value"


def test_options_inside_an_object_may_have_a_list_of_any_name_if_assets_choose_from_it():
    options = [{"kennung": f"o{at}", "bezeichnung": word} for at, word in enumerate(("Gut", "Schlecht"))]
    rules = [{"field": "f9", "then": "show"}, {"field": "f8", "then": "hide"}]
    of_type = [{"type": "option", "id": "f0", "label": "Zustand", "einstellung": {"regeln": rules, "auswahl": options}}]
    results = [{"type": "option", "field": "f0", "value": [f"o{at}"]} for at in range(2)]
    shape = definition_shape(of_type, assets(*results))
    assert (shape["field_options"], shape["option_label"]) == ("einstellung.auswahl", "bezeichnung")


def test_a_code_is_no_label_of_options_that_assets_choose_by_a_foreign_one():
    options = [{"code": f"o{at}", "naam": word} for at, word in enumerate(("Goed", "Slecht"))]
    of_type = [{"type": "option", "id": "f0", "label": "State", "options": options}]
    results = [{"type": "option", "field": "f0", "value": [word]} for word in ("Goed", "Slecht")]
    shape = definition_shape(of_type, assets(*results))
    assert (shape["option_id"], shape["option_label"]) == ("naam", "naam")


def unread(options, *chosen, kind="option"):
    """The parts that are unread if assets have these values, of a field with these options."""
    types, found = Shape("asset_types"), Shape("assets")
    of_type = [{"id": "t", "fields": [{"type": kind, "id": "f0", "label": "Zustand", "options": options}]}]
    results = [{"type": kind, "field": "f0", "value": value} for value in chosen]
    recorded = [one | {"type": "t", "property": "p"} for one in assets(*results)]
    for shape in (types, found):
        shape.settle("id", Choice((("id",),), "documented", ""))
    found.settle("type", Choice((("type",),), "documented", ""))
    look_into_assets(types, found, of_type, recorded)
    return {part for shape in (types, found) for part, choice in shape.choices.items() if choice.source == UNREAD}


OFFERED = [{"id": "o1", "label": "Gut"}, {"id": "o2", "label": "Schlecht"}, {"id": "o3", "label": "Neu"}]


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"Gut": "o1", "Schlecht": "o2"}, id="ids by labels"),
        pytest.param([{"group": "all", "options": OFFERED}], id="options in groups"),
    ],
)
def test_options_are_unread_if_assets_choose_none_of_them(options):
    assert unread(options, *[["o1"]] * 5) == {"field_options"}
    assert unread(options, *[["o1"]] * 4) == set()


def test_choices_that_are_offered_no_longer_leave_the_options_read():
    assert unread(OFFERED, *[["old"]] * 9, ["o1"]) == set()
    assert unread(OFFERED, *[["old"]] * 9) == set()
    assert unread([], *[["old"]] * 9) == set()


def test_several_texts_that_join_options_are_unread_beside_single_choices():
    joined = ["o1,o2", "o2, o3", "o1,o3", "o1,o2,o3", "o1,o2"]
    assert unread(OFFERED, *["o1"] * 9, *joined) == {"result_value:option"}
    assert unread(OFFERED, *["o1"] * 9, *joined[1:]) == set()


def test_dates_at_midnight_are_dates_and_those_at_another_time_are_unread():
    assert unread([], *["2026-01-31T09:00:00Z"] * 5, kind="date") == {"result_value:date"}
    assert unread([], *["2026-01-31T00:00:00Z"] * 5, kind="date") == set()


VALUES = {"text": "Yale", "number": 12, "date": "2025-02-01", "time": "09:30", "qr": "40417"}


def places(kinds, held):
    """The place of the value of each kind, in four results of each; `held` makes the members beside the kind."""
    results = [{"type": kind, "field": "f0", **held(kind, at)} for kind in kinds for at in range(4)]
    shape = Shape("assets")
    find_result_shape(shape, assets(*results), {"f0", "f1", "f2", "f3"})
    parts = {part.partition(":")[2]: choice.text for part, choice in shape.choices.items() if ":" in part}
    return {kind: parts.get(kind) for kind in kinds}


@pytest.mark.parametrize(
    "beside",
    [lambda at: f"siehe {at}", lambda at: "Yes", lambda at: at, lambda at: [{"am": "2025-01-01"}], lambda at: at > 1],
    ids=["a comment", "a flag in words", "a count", "a history", "a flag"],
)
def test_what_results_of_all_kinds_have_is_no_value(beside):
    """A comment or a flag in words became the value of texts and codes, with exit code 0."""
    found = places(VALUES, lambda kind, at: {"aaa": beside(at)} | ({"wert": VALUES[kind]} if at else {}))
    assert found == dict.fromkeys(VALUES, "wert")


@pytest.mark.parametrize("kind", ["text", "qr"])
def test_what_others_have_beside_their_value_is_no_value_either(kind):
    kinds = ("number", kind)

    def held(of, at):
        return {"herkunft": f"app {at}"} | ({"value": at} if of == "number" else {"inhalt": f"n{at}"} if at else {})

    assert places(kinds, held) == {"number": "value", kind: "inhalt"}


def test_a_field_that_nobody_filled_in_has_no_history_for_a_value():
    def held(kind, at):
        return {"verlauf": [{"am": "2025-01-01"}]} | ({} if kind == "text" else {"value": VALUES[kind]})

    assert places(VALUES, held) == {**dict.fromkeys(VALUES, "value"), "text": None}


@pytest.mark.parametrize("said", ["as on the plate", True, {"id": "u1", "name": "J. Smith"}])
def test_a_field_that_nobody_filled_in_has_none_of_what_all_others_have_beside_their_value(said):
    """Where the API leaves out empty values, a hint became the value of such fields, with exit code 0."""
    kinds = ("text", "number", "date")
    found = places(kinds, lambda kind, _: {"hint": said} | ({} if kind == "date" else {"value": VALUES[kind]}))
    assert found == {"text": "value", "number": "value", "date": None}


@pytest.mark.parametrize("name", ["textValue", "rawValue", "fieldValue", "valueText", "answerText"])
@pytest.mark.parametrize("kind", ["date", "option", "qr", "image"])
def test_another_form_of_the_value_is_the_value_of_kinds_that_have_no_other(name, kind):
    """Where texts and numbers had both forms, the values of all other kinds were NULL."""
    found = places(("text", "number", kind), lambda of, at: {name: f"t{at}"} | ({} if of == kind else {"value": at}))
    assert found[kind] == name
    empty = places(("text", "number", kind), lambda of, at: {"oldValue": at} | ({} if of == kind else {"value": at}))
    assert empty[kind] is None


def test_a_word_called_text_stays_the_choice_though_others_have_it_beside_their_value():
    kinds = ("number", "date", "option")
    found = places(kinds, lambda kind, at: {"text": f"t{at}"} | ({} if kind == "option" else {"value": VALUES[kind]}))
    assert found["option"] == "text"


@pytest.mark.parametrize(
    ("kind", "value"), [("image", "m1"), ("number", 12), ("pin", {"x": 0.5, "y": 0.2}), ("pin", [0.5, 0.2])]
)
@pytest.mark.parametrize("user", ["u1", "7409"])
@pytest.mark.parametrize("sure", [("text",), ("text", "qr")])
def test_the_object_of_a_user_is_no_value(kind, value, user, sure):
    """`changedBy` came before `fileId` and `place` by the alphabet, with exit code 0."""
    by = {"id": user, "name": "J. Smith"}
    found = places(
        (*sure, "number", kind), lambda of, _: {"changedBy": by} | ({"value": "Y"} if of in sure else {"place": value})
    )
    assert found[kind] == "place"


@pytest.mark.parametrize("kind", ["image", "file"])
def test_the_name_of_a_file_is_no_value_beside_its_id(kind):
    """`fileName` came before `mediaId` and `wert` by the alphabet, with exit code 0."""
    both = places((kind,), lambda _, at: {"fileName": f"door {at}.jpg"} | ({"mediaId": f"m{at}"} if at else {}))
    assert both == {kind: "mediaId"}
    assert places((kind,), lambda _, at: {"fileName": f"door {at}.jpg"}) == {kind: "fileName"}


@pytest.mark.parametrize(("kind", "name"), [("file", "fileName"), ("option", "optionName"), ("option", "displayName")])
@pytest.mark.parametrize("beside", ["comment", "isValid", "zone", "createdById"])
def test_a_name_without_an_id_is_the_value_beside_what_fewer_results_have(kind, name, beside):
    found = places((kind,), lambda _, at: {name: f"door {at}"} | ({beside: f"see {at}"} if at else {}))
    assert found == {kind: name}


def test_an_object_with_a_paid_or_a_valid_of_its_own_may_hold_the_value():
    """Their names end with the letters of an id. So a comment was the value of texts and numbers, with exit code 0."""
    kinds = ("text", "number", "date", "time")
    found = places(
        kinds, lambda kind, at: {"reading": {"paid": VALUES[kind]}} | ({"comment": f"see {at}"} if at else {})
    )
    assert {place.partition(".")[0].partition(",")[0] for place in found.values()} == {"reading"}


def test_a_value_that_numbers_show_is_one_though_pictures_have_it_beside_their_link():
    """The comment became the value of all numbers, with exit code 0."""

    def held(kind, _):
        return {"image": "https://x.example/1"} if kind == "image" else {"kommentar": "k"}

    found = places(("image", "number"), lambda kind, at: {"wert": at} | held(kind, at))
    assert found == {"image": "image", "number": "wert"}


@pytest.mark.parametrize(
    ("kind", "name", "said"), [("text", "display", "Yale"), ("image", "url", "https://x.example/1")]
)
def test_the_only_place_that_shows_the_value_stays_one_though_others_have_it_beside_theirs(kind, name, said):
    def held(of, _):
        return {name: said} | ({} if of == kind else {"value": VALUES[of]})

    kinds = (*(one for one in VALUES if one not in ("text", "qr")), kind)
    assert places(kinds, held)[kind] == name


def test_values_in_objects_or_texts_of_one_name_stay_values_beside_a_unit():
    wrapped = places(VALUES, lambda kind, at: {"wert": {"x": VALUES[kind]}, "zweitens": "mm" if at else "cm"})
    assert {place.partition(".")[0] for place in wrapped.values()} == {"wert"}
    assert places(VALUES, lambda kind, at: {"wert": str(VALUES[kind])}) == dict.fromkeys(VALUES, "wert")


def test_a_repeated_id_of_the_field_is_no_value_under_its_name():
    results = {f"f{at}": {"type": "qr", "feld": f"f{at}", "inhalt": f"n{at}"} for at in range(4)}
    shape = Shape("assets")
    find_result_shape(shape, [{"id": f"a{at}", "fields": results} for at in range(4)], {"f0", "f1", "f2", "f3"})
    assert shape.choices["result_value:qr"].text == "inhalt"
