"""Promises of roles: the likeliest field of a kind that fits, unless propsync.toml names another."""

from propsync.desk.roles import Field, Roles
from propsync.settings import DeskSettings

LIFTS = [
    Field("t1", "Lifts", "f1", "Photo of serial plate", "image"),
    Field("t1", "Lifts", "f2", "Serial number", "text"),
    Field("t1", "Lifts", "f3", "Commissioned", "date"),
    Field("t1", "Lifts", "f4", "Installed", "date"),
    Field("t1", "Lifts", "f5", "Installed by", "text"),
]
DOORS = [
    Field("t2", "Doors", "g1", "Result", "option"),
    Field("t2", "Doors", "g2", "RESULT OF TEST", "option"),
    Field("t2", "Doors", "g3", "Next inspection due", "date"),
    Field("t2", "Doors", "g4", "Maker's plate", "text"),
]


def chosen(settings=None, fields=(*LIFTS, *DOORS)):
    rows = Roles(list(fields), settings or DeskSettings()).rows
    return {(type_id, role): (field_id, source) for type_id, role, field_id, source, _ in rows}


def faults(settings, fields=(*LIFTS, *DOORS)):
    return [one.line for one in Roles(list(fields), settings).faults()]


def test_the_likeliest_label_of_a_fitting_kind_is_found():
    assert chosen() == {
        ("t1", "installed"): ("f4", "found"),
        ("t1", "serial"): ("f2", "found"),
        ("t2", "result"): ("g1", "found"),
        ("t2", "next_due"): ("g3", "found"),
    }


def test_words_may_come_in_another_order():
    fields = [
        Field("t1", "Boilers", "f1", "Date of installation", "date"),
        Field("t1", "Boilers", "f2", "Last test outcome", "option"),
    ]
    assert chosen(fields=fields) == {("t1", "installed"): ("f1", "found"), ("t1", "result"): ("f2", "found")}


def test_a_field_with_few_dates_keeps_its_role_and_yields_to_one_of_dates():
    few = Field("t1", "Lifts", "f6", "Installed", "text", has_dates=True)
    assert chosen(fields=[few])["t1", "installed"] == ("f6", "found")
    setting, value, source, evidence = Roles([few], DeskSettings()).noted()[0]
    assert (setting, value, source) == ("roles.installed.dates", "Lifts: Installed", "found")
    assert "are not dates" in evidence
    assert chosen(fields=[few, Field("t1", "Lifts", "f7", "Fitted", "date")])["t1", "installed"] == ("f7", "found")
    assert chosen(fields=[Field("t1", "Lifts", "f6", "Installed", "text")]) == {}


def test_an_entry_for_every_type_replaces_what_is_found_in_every_type():
    found = chosen(DeskSettings(roles={"installed": ("commission*",), "result": ("result of*",)}))
    assert found["t1", "installed"] == ("f3", "configured")
    assert found["t2", "result"] == ("g2", "configured")


def test_an_entry_for_one_type_by_name_or_id_counts_there_alone():
    found = chosen(DeskSettings(roles={"serial": ("serial*",)}, type_roles={"doors": {"serial": ("maker*",)}}))
    assert (found["t1", "serial"], found["t2", "serial"]) == (("f2", "configured"), ("g4", "configured"))
    found = chosen(DeskSettings(type_roles={"t1": {"serial": ()}}))
    assert ("t1", "serial") not in found


def test_an_entry_that_fits_no_field_is_named_and_leaves_the_one_that_is_found():
    settings = DeskSettings(
        roles={"serial": ("zz*",)}, type_roles={"Boats": {"serial": ("x",)}, "Doors": {"result": ("y",)}}
    )
    assert faults(settings) == [
        "[desk.roles] serial: no asset type has a field with a label like 'zz*'; asset_type_fields lists them",
        "[desk.roles.'Boats']: no asset type has this name or id; asset_types lists them",
        "[desk.roles.'Doors'] result: the type has no field with a label like 'y'; asset_type_fields lists them",
    ]
    found = chosen(settings)
    assert (found["t1", "serial"], found["t2", "result"]) == (("f2", "found"), ("g1", "found"))


def test_a_field_of_another_kind_is_named_with_its_kind():
    (line,) = faults(DeskSettings(roles={"installed": ("installed by",)}))
    assert line == "[desk.roles] installed: the field 'Installed by' is of the kind text, and installed needs date"


def test_nothing_is_wrong_before_propsync_knows_a_type():
    assert faults(DeskSettings(roles={"serial": ("zz",)}), ()) == []


RENAMED = Field("t3", "Pumps", "h1", "Date installed (v73)", "date", ("Date installed", "Erected"))


def test_a_field_whose_label_changed_keeps_the_role_of_its_former_label_and_says_so():
    (row,) = Roles([RENAMED], DeskSettings()).rows
    evidence = "its label was 'Date installed', which fits 'date*installed'; its present label fits no role"
    assert row == ("t3", "installed", "h1", "former", evidence)
    ((setting, value, source, words),) = Roles([RENAMED], DeskSettings()).noted()
    assert (setting, value, source) == ("roles.installed", "Pumps: Date installed (v73)", "former")
    assert "former label" in words


def test_another_field_takes_a_role_over_if_its_present_label_fits():
    other = Field("t3", "Pumps", "h2", "Commissioned", "date")
    assert chosen(fields=(RENAMED, other)) == {("t3", "installed"): ("h2", "found")}


def test_a_field_whose_present_label_fits_a_role_has_no_former_one():
    due = Field("t3", "Pumps", "h1", "Next due", "date", ("Date installed",))
    better = Field("t3", "Pumps", "h2", "Next service due", "date")
    assert chosen(fields=(due, better)) == {("t3", "next_due"): ("h1", "found")}
    result = Field("t3", "Pumps", "h3", "Outcome", "option", ("Condition",))
    assert chosen(fields=(result,)) == {("t3", "result"): ("h3", "found")}


def test_a_former_label_of_another_kind_keeps_no_role():
    assert chosen(fields=(Field("t3", "Pumps", "h1", "When", "text", ("Installed",)),)) == {}


def test_an_entry_that_fits_former_labels_alone_keeps_the_role_and_is_named():
    settings = DeskSettings(roles={"installed": ("erected",)})
    assert chosen(settings, (RENAMED,)) == {("t3", "installed"): ("h1", "former")}
    assert faults(settings, (RENAMED,)) == [
        "[desk.roles] installed: no asset type has a field with a label like 'erected' any more; "
        "one that had it before may keep the role"
    ]
    assert chosen(DeskSettings(roles={"installed": ()}), (RENAMED,)) == {}
