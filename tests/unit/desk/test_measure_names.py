"""The names of assessment types decide which of them count for a tenant satisfaction measure."""

from __future__ import annotations

import duckdb
import pytest

from propsync.desk.measure_rules import measure_rules

COUNTING = {
    "BS01": ("Gas safety check", "Landlord Gas Safety Record", "LGSR", "CP 12", "Annual gas servicing"),
    "BS02": ("Fire Risk Assessment", "FRA", "FRA - Type 4", "Fire risk assessment and action plan"),
    "BS03": ("Asbestos Management Survey", "Asbestos re-inspection", "Asbestos survey"),
    "BS04": ("Legionella risk assessment", "Water Hygiene Risk Assessment", "Legionella review"),
    "BS05": ("LOLER thorough examination", "Passenger lift LOLER", "Lift inspection", "Fire-fighting lift test"),
}
OTHERS = (
    *("Medical gas inspection", "Oil safety check"),
    *("Person-centred fire risk assessment", "Fire Risk Appraisal of External Walls", "FRAEW (PAS 9980)"),
    *(
        "FRA actions",
        "FRA action review",
        "Fire risk assessment remedial works",
        "Fire risk assessment review of actions",
    ),
    *(
        "Asbestos R&D survey",
        "Asbestos R & D Survey",
        "Asbestos removal",
        "Asbestos air monitoring",
        "Asbestos bulk sample",
    ),
    *("Legionella monitoring", "Water hygiene sampling", "Legionella flushing", "Water hygiene disinfection"),
    *("Stairlift LOLER", "Step lift LOLER", "Bath lift LOLER", "Goods lift LOLER", "LOLER - hoists"),
)


def measures(name: str) -> list[str]:
    """The measures for which a type of that name counts, as sql/staging/measure_types.sql decides."""
    asked = "select regexp_matches($name, $names, 'i') and not regexp_matches($name, $other_names, 'i')"
    found = []
    for rule in measure_rules():
        words = {key: rule[key] for key in ("names", "other_names")}
        (counts,) = duckdb.execute(asked, words | {"name": name}).fetchone() or (False,)
        found += [rule["measure"]] if counts else []
    return found


@pytest.mark.parametrize("measure", COUNTING)
def test_the_usual_names_of_a_check_count(measure: str):
    assert {name: measures(name) for name in COUNTING[measure]} == {name: [measure] for name in COUNTING[measure]}


def test_other_work_of_the_same_field_counts_for_no_measure():
    assert {name: measures(name) for name in OTHERS if measures(name)} == {}
