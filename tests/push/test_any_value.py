"""For any value: a template of it plans nothing, and a planned value plans nothing once the tables have it."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as any_of

from propsync.push.damage import CellRefused
from propsync.push.fields import Field
from propsync.push.shown import plain_text, quoted_formula, shown
from propsync.push.values import KEPT, planned

KINDS = ("text", "number", "date", "time", "option", "qr", "image")
_TEXTS = any_of.text(max_size=12) | any_of.text("0123456789.-:eE+/ ;?'=[]", max_size=12)
_OLDS = any_of.none() | _TEXTS | any_of.integers() | any_of.decimals(allow_nan=False, allow_infinity=False)
_CELLS = _TEXTS | any_of.floats() | any_of.booleans() | any_of.dates() | any_of.times() | any_of.timedeltas()
_LABELS = any_of.dictionaries(
    any_of.text("ab0", min_size=1, max_size=3), any_of.none() | any_of.text("xyX; ", max_size=4), max_size=5
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
