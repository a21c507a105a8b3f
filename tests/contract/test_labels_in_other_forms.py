"""Labels of fields and options in several languages, or in a form that propsync cannot read."""

from __future__ import annotations

from typing import Any

from kit.small_api import SmallHome, asset

from propsync.runbooks.doctor.examine import examine


def show_labels(home: SmallHome, name: Any, good: Any) -> None:
    defined = [
        {"id": "f1", "type": "option", "label": name, "options": [{"id": "o1", "label": good}]},
        {"id": "f2", "type": "text", "label": {"cy": "Llawr"} if "cy" in name else name},
    ]
    home.server.types = [{"id": "t1", "name": "Doors", "fields": defined}]
    result = {"type": "option", "field": "f1", "value": ["o1"]}
    home.server.assets = [asset(f"a{number}", fields=[result]) for number in range(6)]


def labels(home: SmallHome) -> list[Any]:
    return home.column("select label from asset_type_fields union all select label from asset_field_options")


def test_of_a_label_in_several_languages_the_english_one_counts(small_nights: SmallHome):
    """The alphabet chose the Welsh one, and columns were named for it."""
    show_labels(small_nights, {"cy": "Cyflwr", "en": "State"}, {"cy": "Da", "en": "Good"})
    assert small_nights.sync().exit_code == 0
    assert labels(small_nights) == ["State", "Llawr", "Good"]
    assert small_nights.column("select distinct state from by_type.doors") == ["Good"]


def test_labels_that_propsync_cannot_read_are_never_silent(small_nights: SmallHome):
    """Columns were `field` and `field_2`, with exit code 0."""
    show_labels(small_nights, [{"lang": "en", "text": "State"}], [{"lang": "en", "text": "Good"}])
    report = small_nights.sync()
    assert (report.exit_code, labels(small_nights)) == (3, [None, None, None])
    assert report.left_behind == [
        f"asset types: {part} label could not be read: {count} of {count} have no text that propsync finds under "
        "label. Run `propsync doctor`"
        for part, count in (("field", 4), ("option", 2))  # the types' own list, and the one beside assets
    ]
    (home := small_nights.path).joinpath("propsync.toml").write_text(
        "[shapes.asset_types]\nfield_label = 'id'\noption_label = 'id'\n", encoding="utf-8"
    )
    assert all(one.is_well for one in examine(small_nights.settings()) if "label" in one.what)
    assert small_nights.sync().exit_code == 0  # people may accept it
    home.joinpath("propsync.toml").unlink()
    (first, second) = [one for one in examine(small_nights.settings()) if not one.is_well]
    assert "[shapes.asset_types] field_label = '…'" in first.next_step
    assert "[shapes.asset_types] option_label = '…'" in second.next_step
    show_labels(small_nights, "State", "Good")
    assert small_nights.sync().exit_code == 0
    assert labels(small_nights) == ["State", "State", "Good"]
