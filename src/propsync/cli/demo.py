"""`propsync demo`: everything that exists, with made-up data, in under a minute."""

from __future__ import annotations

import logging
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import propsync
from propsync.cli import stopping
from propsync.cli.garbage import imports_left_alone
from propsync.cli.report import print_counts
from propsync.cli.sandbox import Address, running
from propsync.cli.text_tables import echo, print_table
from propsync.runbooks import night
from propsync.settings import Settings, load_settings

_CHAPTERS = {
    "What there is: assets by type": """
        select t.name as "asset type", t.table_name as "table", count(distinct a.asset_id) as assets,
          count(v.field_id) as "field values"
        from asset_types as t
        left join assets as a using (asset_type_id)
        left join asset_field_values as v on v.asset_id = a.asset_id
        group by all order by assets desc limit 8""",
    "What is overdue: schedules past their due date": """
        select s.due_date as due, t.name as assessment, p.name as property
        from schedules as s
        join properties as p using (property_id)
        join assessment_types as t using (assessment_type_id)
        where s.due_date < date '2026-03-02' order by all limit 5""",
    "What changed last night": """
        select 'assets' as records, change, count(*) as count from history.assets
        where valid_from = (select max(started_at) from ops.runs where flow = 'nightly') group by all
        union all select 'assessments', change, count(*) from history.assessments
        where valid_from = (select max(started_at) from ops.runs where flow = 'nightly') group by all
        union all select 'schedules', change, count(*) from history.schedules
        where valid_from = (select max(started_at) from ops.runs where flow = 'nightly') group by all
        order by all""",
    "Reports and bundles: each version is kept, and what is in a bundle can be asked": """
        select kind, count(*) filter (state = 'stored') as versions, count(*) filter (version > 1) as "of them newer",
          round(sum(size_bytes) / 1e6, 1) as "MB" from documents group by all
        union all select 'actions in bundles', count(*), null, null from bundle_actions
        order by kind desc""",
    "How complete each read was": """
        select strftime(r.started_at, '%H:%M:%S') as night, s.resource, s.list, s.pages, s.total_last as total,
          s.distinct_keys as "different keys", s.verdict
        from ops.sweeps as s join ops.runs as r using (run_id)
        where s.resource in ('assets', 'assessments', 'schedules') order by all""",
}


def run_demo(scale: int, home: Path | None) -> int:
    """Runs it and prints what came of it; returns the exit code."""
    stopping.begin()
    logging.getLogger("propsync").setLevel(logging.WARNING)
    with imports_left_alone(), _folder(home) as folder, running(scale=scale, reference=folder) as sandbox:
        (folder / "propsync.toml").write_text(
            '[reference]\nproperties = "properties.csv"\nusers = "users.csv"\n', encoding="utf-8"
        )
        settings = _settings(folder, sandbox)
        echo(f"A made-up housing provider with {scale:,} assets answers at {sandbox.base_url}")
        echo("\nFirst night: everything is new")
        first = night(settings)
        print_counts(first)
        echo("\nA day passes: people edit, add and delete records; one label is renamed")
        _let_a_night_pass(sandbox)
        echo("\nSecond night: only what changed is written")
        second = night(settings)
        print_counts(second)
        _show(settings)
        if home is not None:
            echo(f"\nKept in {home}. Next: PROPSYNC_HOME={home} propsync query --tables")
        else:
            echo("\nTo keep it and ask it more: propsync demo --home DIR")
            echo("Your own data: set PROPSYNC_BASE_URL, PROPSYNC_TOKEN_FILE and PROPSYNC_HOME. Next: propsync doctor")
        return max(first.exit_code, second.exit_code)


def _let_a_night_pass(sandbox: Address) -> None:
    """Asks our own sandbox, past any proxy."""
    asked = urllib.request.Request(f"{sandbox.base_url}/_sandbox/night", method="POST")  # noqa: S310 - on loopback
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked).close()


def _settings(folder: Path, sandbox: Address) -> Settings:
    environ = {
        "PROPSYNC_HOME": str(folder),
        "PROPSYNC_BASE_URL": sandbox.base_url,
        "PROPSYNC_TOKEN": sandbox.token,
    }
    return load_settings(environ=environ)


def _show(settings: Settings) -> None:
    with propsync.open(settings.published / "warehouse.duckdb") as reader:
        for title, sql in _CHAPTERS.items():
            echo(f"\n{title}")
            print_table(*reader.rows(sql))


@contextmanager
def _folder(home: Path | None) -> Iterator[Path]:
    if home is not None:
        home.mkdir(parents=True, exist_ok=True)
        yield home.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="propsync-demo-") as folder:
        yield Path(folder)
