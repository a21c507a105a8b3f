"""`propsync demo`: all features with made-up data, in under a minute."""

from __future__ import annotations

import logging
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from propsync.cli import stopping
from propsync.cli.demo.plan import show_plan
from propsync.cli.garbage import imports_left_alone
from propsync.cli.report import print_counts
from propsync.cli.services.sandbox import Address, running
from propsync.cli.terminal.tables import echo, print_table
from propsync.errors import UsageError
from propsync.runbooks import PAGE, night
from propsync.settings import Settings, load_settings
from propsync.warehouse import open_published, statement

_CHAPTERS = {
    "Assets by type": "assets_by_type",
    "What is overdue: schedules past their due date": "overdue",
    "What changed last night": "changed_last_night",
    "Reports and bundles: propsync keeps each version, and reads what is in a bundle": "documents",
    "How complete each read was": "complete_reads",
}
_LISTS = """[reference]
properties = "properties.csv"
users = "users.csv"
requirements = "requirements.csv"
"""


def run_demo(scale: int, home: Path | None) -> int:
    """Runs the demo and prints its results; returns the exit code."""
    stopping.begin()
    logging.getLogger("propsync").setLevel(logging.WARNING)
    yesterday = datetime.now().astimezone().date() - timedelta(days=1)
    with (
        imports_left_alone(),
        _folder(home) as folder,
        running(scale=scale, reference=folder, today=yesterday) as sandbox,
    ):
        (folder / "propsync.toml").write_text(_LISTS, encoding="utf-8")
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
        echo("\nCorrections in a spreadsheet: propsync plans them, and sends nothing before you say so")
        show_plan(settings, folder)
        if home is not None:
            echo(f"\nThe dashboard: {settings.published / PAGE}")
            echo(f"Kept in {home}. Next: PROPSYNC_HOME={home} propsync query --tables")
        else:
            echo("\nTo keep the data and query it: propsync demo --home DIR")
            echo("Your own data: set PROPSYNC_BASE_URL, PROPSYNC_TOKEN_FILE and PROPSYNC_HOME. Next: propsync doctor")
        return max(first.exit_code, second.exit_code)


def _let_a_night_pass(sandbox: Address) -> None:
    """Advances our own sandbox by a night, past any proxy."""
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
    with open_published(settings.published / "warehouse.duckdb", settings.time_zone) as reader:
        for title, query in _CHAPTERS.items():
            echo(f"\n{title}")
            print_table(*reader.rows(statement(f"cli/demo/{query}")))


@contextmanager
def _folder(home: Path | None) -> Iterator[Path]:
    if home is not None:
        try:
            home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            step = "Name a folder that you can write to"
            raise UsageError("--home", f"propsync cannot make {home}: {error.strerror}", step) from error
        if any(home.iterdir()):  # a real home would lose its propsync.toml and lists, and get made-up records
            raise UsageError("--home", f"{home} is not empty; the demo overwrites nothing", "Give a new folder")
        yield home.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="propsync-demo-") as folder:
        yield Path(folder)
