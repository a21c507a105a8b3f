"""For any value: a template of it plans nothing, and a planned value plans nothing once the tables have it."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as any_of

from propsync.push.files.damage import CellRefused
from propsync.push.files.source import BLANKS
from propsync.push.planning.asset_rows import KEYS
from propsync.push.planning.columns import find_field
from propsync.push.templates.template import heading_of
from propsync.push.values.cells import KEPT, planned
from propsync.push.values.fields import Field, RecordType
from propsync.push.values.shown import plain_text, quoted_formula, shown

KINDS = ("text", "number", "date", "time", "option", "qr", "image")
_TEXTS = any_of.text(max_size=12) | any_of.text("0123456789.-:eE+/ ;?'=[]", max_size=12)
_OLDS = any_of.none() | _TEXTS | any_of.integers() | any_of.decimals(allow_nan=False, allow_infinity=False)
_CELLS = _TEXTS | any_of.floats() | any_of.booleans() | any_of.dates() | any_of.times() | any_of.timedeltas()
_LABELS = any_of.dictionaries(
    any_of.text("ab0", min_size=1, max_size=3), any_of.none() | any_of.text("xyX; \u00a0\u200b", max_size=4), max_size=5
)


@given(any_of.sampled_from(KINDS), _OLDS)
@settings(max_examples=300)
def test_the_cell_of_a_template_changes_nothing(kind: str, old: Any) -> None:
    field = Field("f", "Label", kind, "label")
    cell = plain_text(shown(field, old))
    assert planned(cell, field, old) is KEPT
    assert planned(quoted_formula(cell), field, old) is KEPT


@given(any_of.sampled_from(KINDS), _OLDS, _CELLS)
@settings(max_examples=300)
def test_a_planned_value_plans_nothing_afterwards(kind: str, old: Any, cell: Any) -> None:
    field = Field("f", "Label", kind, "label")
    with suppress(CellRefused):
        new = planned(cell, field, old)
        if new is not KEPT:
            assert new is None or isinstance(new, str | int | Decimal)
            assert planned(cell, field, new) is KEPT


@given(_LABELS, any_of.data())
@settings(max_examples=300)
def test_options_lead_back_to_their_ids_whatever_their_labels_are(labels: dict[str, Any], data: Any) -> None:
    field = Field("f", "Label", "option", "label", labels)
    old = data.draw(any_of.lists(any_of.sampled_from(sorted(labels)), unique=True)) if labels else []
    assert planned(shown(field, old), field, old) is KEPT
    new = planned(shown(field, old), field, None)
    assert new is KEPT or set(new) == set(old)


@given(any_of.lists(any_of.text("aA1 _[]#'=?\n\t\u00a0\u200b\ufeffз", max_size=5), max_size=5))
@settings(max_examples=300)
@example(["Door tag\u200b"])
@example(["Door", "\ufeffDoor"])
def test_a_heading_of_a_template_leads_back_to_its_field_whatever_the_labels_are(labels: list[str]) -> None:
    fields = [Field(f"id{place}", label, "text", f"a_{place}") for place, label in enumerate(labels)]
    for one in fields:
        heading = heading_of(one, fields, KEYS)
        read = quoted_formula(heading).strip(BLANKS)  # as a CSV has it, and as propsync reads it
        assert find_field(read, fields) is one
        assert KEYS.of(read) is None


@pytest.mark.parametrize("heading", ["Door tag", "door  TAG", "\u200bDoor tag "])
def test_a_label_with_a_character_that_nobody_sees_is_found_without_it(heading: str) -> None:
    field = Field("f1", "Door tag\u200b", "text", "tag_of_door")
    assert find_field(heading, [field]) is field


def test_an_option_with_a_character_that_nobody_sees_is_found_without_it() -> None:
    field = Field("f", "Result", "option", "result", {"o1": "No\u00a0access\u200b", "o2": "Fail", "o3": "\u200b"})
    assert planned("no access; Fail", field, None) == ["o1", "o2"]
    with pytest.raises(CellRefused, match="no option is called ''"):
        planned("Fail; ; No access", field, None)


@pytest.mark.parametrize("name", ["Fire doors ", "Fire  doors", "Fire doors\u200b", "FIRE\u00a0DOORS"])
def test_a_type_is_found_by_the_name_that_people_see(name: str) -> None:
    of_type = RecordType("t1", name, None, "fire_doors", is_listed=True)
    assert of_type.is_called("Fire doors"), "so is it in a cell, whose blanks propsync drops"
    assert of_type.is_called(name.strip(BLANKS))
    assert not of_type.is_called("Fire")
