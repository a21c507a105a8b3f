"""Spark, with a master and two workers, reads every Delta table and answers questions as DuckDB does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kit.sandbox_home import SandboxHome
from spark.cluster import PLACE
from spark.comparing import QUESTIONS, SCHEMAS, ByDuckdb, by_spark, in_any_order, questions

from propsync_sandbox import Sandbox

KEYS = {"assets": ["asset_id", "property_id", "payload"], "schedules": ["property_id", "due_date", "payload"]}


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_master_and_two_workers_read_every_table_answer_five_questions_and_travel(tmp_path: Path) -> None:
    assert (PLACE / ".ready").exists(), "run `make spark`, which installs Spark"
    with Sandbox(scale=60, seed=5) as sandbox:
        home = SandboxHome(sandbox, tmp_path / "home", delta=",".join(SCHEMAS))
        home.has_desk = True
        nights = [datetime.now(UTC) - timedelta(days=4 - night) for night in range(3)]
        for night in nights:
            home.night(now=night, delete_limit=1)
            sandbox.night()
    moments = [(f"main/{table}", night, columns) for night in nights for table, columns in KEYS.items()]
    published = home.published.parent
    told = by_spark(published, tmp_path, moments=moments)
    data = ByDuckdb(published)
    assert told["executors"] == 2
    found = {table: sums for table, (sums, _) in told["tables"].items()}
    assert found == {table: data.sum(table.replace("/", ".")) for table in found}
    assert len(found) > 50
    answers = [rows for rows, _ in told["answers"]]
    assert [in_any_order(rows) for rows in answers] == [in_any_order(data.answer(sql)) for sql in questions()]
    assert len(answers) == len(QUESTIONS)
    assert sum(map(bool, answers)) >= 4, "most questions have an answer"
    expected = [data.sum(f"{table.split('/')[1]}_as_of(timestamptz '{at}')", columns) for table, at, columns in moments]
    assert told["travels"] == expected
