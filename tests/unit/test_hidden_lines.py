"""A line of `[privacy] hide` names a field by its label, however somebody types that."""

from __future__ import annotations

import unicodedata

import pytest

from propsync.merge.hiding.lines import hidden_fields
from propsync.settings import HiddenLine


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("label", ["Résident notes", "RÉSIDENT  Notes", "Straße", "Ré\ufb01d", "Ǆ"])
def test_accents_taken_apart_and_capitals_make_no_difference(label: str, form: str) -> None:
    line = HiddenLine(f"assets.fields[{label}]", "assets", field=unicodedata.normalize("NFC", label).swapcase())
    written = unicodedata.normalize(form, label)  # type: ignore[arg-type]
    assert hidden_fields([line], [("f-1", written), ("f-2", "Other")]) == {(line.text, "f-1", written)}


def test_an_id_that_stands_for_the_label_is_found_as_a_label_is() -> None:
    line = HiddenLine("assets.fields[resident notes]", "assets", field="resident notes")
    defined = [("Resident Notes", None), ("RESIDENT NOTES", "Colour")]
    assert hidden_fields([line], defined) == {(line.text, "Resident Notes", "")}
