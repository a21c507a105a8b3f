"""`propsync dashboard`: writes the page of what is published, and shows where it is."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path

import typer

from propsync.cli.terminal.tables import echo
from propsync.runbooks import PAGE, write_dashboard
from propsync.settings import Settings


def run_dashboard(settings: Settings, *, is_opened: bool) -> None:
    """Writes the page and prints its path; a reader who may not write gets the present one.

    Exits 3 if the page lacks a part.
    """
    there, left = settings.published / PAGE, list[str]()
    if _may_write(settings.published) or not there.exists():
        there, left = write_dashboard(settings)
    echo(str(there))
    if is_opened and not webbrowser.open(there.as_uri()):
        echo("No browser could be started here. Open this file in yours.")
    for line in left:
        echo(f"Left behind: {line}")
    if left:
        raise typer.Exit(3)


def _may_write(folder: Path) -> bool:
    return not folder.exists() or os.access(folder, os.W_OK)
