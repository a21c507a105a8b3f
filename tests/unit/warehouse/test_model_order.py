"""Promises of the order between models: it follows from what they read, and a model is parsed once in a process."""

from __future__ import annotations

from graphlib import CycleError
from pathlib import Path

import pytest

from propsync.shipped import shipped
from propsync.warehouse import Models, Warehouse
from propsync.warehouse.model_order import all_sources, in_order, model_sources

OF_TYPES = ("staging/definition_changes", "main/asset_types", "main/asset_type_fields", "main/asset_field_options")


def files(folder: str) -> list[str]:
    root = shipped("sql")
    return sorted(str(Path(path).relative_to(root)).removesuffix(".sql") for path in (root / folder).glob("*.sql"))


def test_a_model_comes_after_those_whose_tables_it_reads() -> None:
    reads = {"main/a.open": {"staging.b", "staging.c"}, "staging/b": {"staging.c"}, "staging/c": {"history.x"}}
    assert in_order(reads) == ["staging/c", "staging/b", "main/a.open"]


def test_a_model_may_read_the_table_that_it_fills() -> None:
    assert in_order({"main/a.open": {"main.a"}}) == ["main/a.open"]


def test_models_that_read_each_other_have_no_order() -> None:
    with pytest.raises(CycleError):
        in_order({"staging/a": {"staging.b"}, "staging/b": {"staging.a"}})


def test_what_models_read_is_staged_before_them_and_each_once(warehouse: Warehouse) -> None:
    found = Models(warehouse, {}).staged_for(OF_TYPES)
    order = in_order(found)
    assert {model.rpartition("/")[2] for model in order} == {
        "type_definitions",
        "field_versions",
        "field_definitions",
        "latest_fields",
        "latest_options",
        "previous_fields",
    }
    for model in order:
        read = {table.replace(".", "/") for table in found[model]} & set(order)
        assert all(order.index(one) < order.index(model) for one in read)


def test_results_are_staged_before_those_that_repeat(warehouse: Warehouse) -> None:
    found = Models(warehouse, {}).staged_for(["main/asset_field_values.open"])
    assert in_order(found) == ["staging/asset_results", "staging/repeated_results"]


def test_a_model_is_parsed_once(warehouse: Warehouse) -> None:
    for text in ("from staging.one", "from staging.other"):
        assert model_sources(warehouse, ["staging/once"], lambda _: text) == {"staging/once": {"staging.one"}}  # noqa: B023 - called at once


def test_the_tables_of_a_select_are_those_that_stand_in_no_cte(warehouse: Warehouse) -> None:
    selects = [
        "with a as (from main.b) select (select max(x) from history.c) from a, d left join ops.e using (x)",
        "-- from main.comment\nselect 'from main.text' as x",
    ]
    assert all_sources(warehouse, selects) == [{"main.b", "history.c", "main.d", "ops.e"}, set()]


def test_what_is_no_select_is_told(warehouse: Warehouse) -> None:
    with pytest.raises(ValueError, match="SELECT"):
        all_sources(warehouse, ["from main.a", "drop table main.a"])
    with pytest.raises(ValueError, match="syntax error"):
        all_sources(warehouse, ["select from where"])


def test_all_models_of_a_schema_have_an_order(warehouse: Warehouse) -> None:
    models = Models(warehouse, {})
    for folder in ("staging", "main"):
        names = [model for model in files(folder) if not model.endswith(".close")]
        assert sorted(models.in_order(names)) == names
