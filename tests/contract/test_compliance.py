"""Compliance as known then: the counts of a day stay, and each number has a query that gives it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from kit.sandbox_home import SandboxHome

from propsync_sandbox import Sandbox
from propsync_sandbox.reference import write_reference

EVENING = datetime(2026, 3, 31, 21, tzinfo=UTC)
NEXT_NIGHT = datetime(2026, 4, 1, 1, tzinfo=UTC)
WEEK_AFTER = datetime(2026, 4, 8, 1, tzinfo=UTC)
COUNTS = "select * from marts.compliance_days where day = date '2026-03-31' order by all"
MEASURES = "select * exclude sql from marts.measures where day = date '2026-03-31' order by all"
PROPERTIES = """
select property_id, property_name, region, homes, assessment_type_id, assessment_type, state, due_date,
  last_approved_on, last_assessment_id, every_months, verdict, complete_read_on
from marts.{} order by all
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxHome]:
    folder = tmp_path_factory.mktemp("compliance")
    with Sandbox(scale=160) as sandbox:
        properties, users, requirements = write_reference(sandbox.world, folder / "lists")
        settings = folder / "home" / "propsync.toml"
        settings.parent.mkdir()
        settings.write_text(
            f'[reference]\nproperties = "{properties}"\nusers = "{users}"\nrequirements = "{requirements}"\n'
        )
        made = SandboxHome(sandbox, folder / "home")
        made.has_desk = True
        yield made


@pytest.fixture(scope="module")
def known(home: SandboxHome) -> list[tuple[Any, ...]]:
    """The counts of the end of a month, the measures and the properties behind them, in the evening and twice later.

    Each test asks for it: a worker may have any of them alone.
    """
    found = []
    for now in (EVENING, NEXT_NIGHT, WEEK_AFTER):
        assert home.sync(now=now).exit_code == 0
        mart = "compliance" if now == EVENING else "compliance_then"
        found.append((home.rows(COUNTS), home.rows(MEASURES), home.rows(PROPERTIES.format(mart))))
        home.sandbox.night()
    return found


@pytest.mark.release
@pytest.mark.usefixtures("known")
def test_homes_have_measures(home: SandboxHome) -> None:
    assert home.column("select count(value) > 5 from marts.measures where measure like 'BS%' or unit = 'homes'") == [
        True
    ]


@pytest.mark.slow
def test_the_end_of_a_month_keeps_its_counts(home: SandboxHome, known: list[tuple[Any, ...]]) -> None:
    """Of the day itself the mart has them, a day later history has: two ways to one number."""
    evening, night, week_after = known
    assert all(evening)
    assert night == week_after == evening
    assert home.column("select distinct day::varchar from marts.compliance_days where day > '2026-03-31'") == [
        "2026-04-08"
    ]


@pytest.mark.release
@pytest.mark.usefixtures("known")
def test_a_rebuild_counts_the_same(home: SandboxHome) -> None:
    every = "select * from marts.{} order by all"
    marts = ("compliance_days", "compliance_then", "measures")
    before = [home.rows(every.format(mart)) for mart in marts]
    home.rebuild()
    assert [home.rows(every.format(mart)) for mart in marts] == before


@pytest.mark.slow
@pytest.mark.usefixtures("known")
def test_each_measure_has_a_query_that_gives_its_numbers(home: SandboxHome) -> None:
    shown: list[tuple[Any, ...]] = home.rows(
        "select sql, numerator, denominator, unknown from marts.measures where is_known and sql is not null"
    )
    assert len(shown) > 20
    for sql, *numbers in shown:
        assert home.rows(sql) == [tuple(numbers)], sql


@pytest.mark.release
@pytest.mark.usefixtures("known")
def test_other_lists_count_every_day_again(home: SandboxHome) -> None:
    (listed,) = [path for path in (home.path.parent / "lists").iterdir() if path.name == "properties.csv"]
    before = home.rows("select count(*), count(distinct basis) from marts.compliance_days")
    kept = listed.read_text(encoding="utf-8").splitlines()
    listed.write_text("\n".join(kept[: len(kept) // 2]) + "\n", encoding="utf-8")
    home.sync(now=datetime(2026, 4, 9, 1, tzinfo=UTC))
    assert home.rows("select count(distinct basis) from marts.compliance_days") == [(1,)]
    (without,) = home.column("select sum(properties_without_homes) from marts.compliance_days where day = '2026-03-31'")
    assert without > 0, before


@pytest.mark.release
@pytest.mark.usefixtures("known")
def test_people_choose_the_types_of_a_measure(home: SandboxHome) -> None:
    with (home.path / "propsync.toml").open("a", encoding="utf-8") as settings:
        settings.write('[desk.measures]\nBS01 = ["EICR"]\nBS05 = ["No such check"]\nBS99 = ["EICR"]\n')
    report = home.sync(now=datetime(2026, 4, 10, 1, tzinfo=UTC))
    assert report.exit_code == 3
    assert [line.partition(".")[0] for line in report.left_behind] == ["[desk", "[desk"]
    types = (
        "select distinct measure, assessment_types from marts.measures where measure in ('BS01', 'BS05') order by all"
    )
    assert home.rows(types) == [("BS01", "EICR"), ("BS05", None)]
