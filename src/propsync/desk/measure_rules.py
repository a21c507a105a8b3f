"""The rules of the measures: dated, from sql/measures/."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from propsync.desk.faults import Fault
from propsync.shipped import shipped
from propsync.warehouse import Warehouse, statement

Rules = tuple[dict[str, Any], ...]


@cache
def measure_rules() -> Rules:
    """Every rule, with the assessment types that people chose instead of those whose names fit: none by default."""
    files = sorted((shipped("sql") / "measures").glob("*.toml"))
    rules = (rule for file in files for rule in tomllib.loads(file.read_text(encoding="utf-8"))["rule"])
    return tuple(rule | {"chosen": []} for rule in rules)


def chosen_rules(named: Mapping[str, Sequence[str]]) -> Rules:
    """The same with the assessment types that `[desk.measures]` names."""
    return tuple(rule | {"chosen": list(named.get(rule["measure"], ()))} for rule in measure_rules())


def measure_faults(warehouse: Warehouse, named: Mapping[str, Sequence[str]]) -> Iterator[Fault]:
    """The entries of `[desk.measures]` that fit no measure, or no type that the API has, and names of two types."""
    known = {rule["measure"] for rule in measure_rules()}
    for one in named:
        if one not in known:
            line = f"[desk.measures] has {one}, and propsync knows {', '.join(sorted(known))}"
            yield Fault(f"measures.{one}", line)
    yield from _passed_on(warehouse, named)
    types = {text for row in warehouse.rows(statement("desk/names_of_types")) for text in row}
    for measure, wanted in named.items():
        for one in wanted:
            if types and one not in types:
                what = f"no assessment type has the name or id {one}; one that had it before still counts"
                yield Fault(f"measures.{measure}", f"[desk.measures] {measure}: {what}")


def _passed_on(warehouse: Warehouse, named: Mapping[str, Sequence[str]]) -> Iterator[Fault]:
    """Names of a type that another type had before: the counts of earlier days have the present one too."""
    present = warehouse.rows(statement("desk/names_of_types"))
    former = warehouse.rows(statement("desk/former_types"))
    for measure, wanted in named.items():
        for one in wanted:
            now = {type_id for type_id, name in present if name == one}
            before = {type_id for type_id, name in former if name == one} - now
            if now and before and one not in dict(present):
                present_one, former_one = (" and ".join(sorted(ids)) for ids in (now, before))
                what = f"the assessment type {present_one} has the name {one}, which {former_one} had before"
                line = f"[desk.measures] {measure}: {what}. Write the id of the type that counts"
                yield Fault(f"measures.{measure}", line)
