"""A run that is killed at any moment harms nothing: what is published stays whole, the next run needs no help."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from kit.archives import SMALL, place
from kit.home import KEYS
from kit.kills import PROGRAM, is_killed_after, numbers, seconds_at_work, spread, started, wait_for_the_lock
from kit.sandbox_home import SandboxHome


@pytest.fixture
def home(synced_small: Path, tmp_path: Path) -> Iterator[SandboxHome]:
    """A sandbox, and a home that was synced from it."""
    with place(tmp_path / "home", synced_small, scale=SMALL) as made:
        yield made


def read_whole(path: Path) -> int:
    """Reads every table; a torn file fails here."""
    with duckdb.connect(path, read_only=True) as published:
        tables = published.execute("select schema_name, table_name from duckdb_tables() where not internal").fetchall()
        return sum(len(published.execute(f'from "{schema}"."{table}"').fetchall()) for schema, table in tables)


def sync_killed_after(seconds: float, home: SandboxHome) -> bool:
    """Lets a night pass and kills the run that follows; false if that ended sooner, well."""
    home.sandbox.night()
    process = started(home, [PROGRAM, "sync", "--no-archive"], page_limit=10)
    wait_for_the_lock(process, home.path / "state" / "run.lock")
    return is_killed_after(seconds, process)


@pytest.mark.costly
@pytest.mark.slow
@pytest.mark.parametrize("number", numbers(daily=2))
def test_killed_at_moments_all_over_a_sync_and_right_after_each(home: SandboxHome, number: int) -> None:
    home.sandbox.night()
    program = started(home, [PROGRAM, "sync", "--no-archive"], page_limit=10)
    length = seconds_at_work(program, home.path / "state" / "run.lock")
    for moment in spread(number, length):
        while not sync_killed_after(moment, home):
            moment *= 0.8  # the machine is quicker now
        assert read_whole(home.published) > 1_000
        assert home.sync(page_limit=10).exit_code == 0
        assert [resource for resource in KEYS if not home.is_truth(resource)] == []
    assert not home.published.with_suffix(".duckdb.wal").exists()
    statuses: dict[str, int] = dict(home.rows("select status, count(*) from ops.runs group by all"))
    # a run killed while it published had ended, and one killed at its start had no row yet
    assert set(statuses) <= {"ok", "killed"}
    assert statuses["killed"] >= 1
    for resource, key in KEYS.items():
        open_rows = f"select count(*), count(distinct ({key})) from history.{resource} where valid_to is null"
        ((rows, keys),) = home.rows(open_rows)
        assert rows == keys
