"""`propsync push`: writing back. This module has the commands that send nothing."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from propsync.cli.common_options import AsJson, ManyValues, ids_option, settings

push_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Write corrections back to the API: plan, review, apply, undo.",
)

_FILES = (".xlsx", ".csv", ".parquet", ".jsonl", ".ndjson", ".json")


class Records(StrEnum):
    """The records that people can write."""

    ASSETS = "assets"
    SCHEDULES = "schedules"


PlanFile = Annotated[
    Path,
    typer.Argument(
        metavar="PLAN", help="A saved plan, or the id of an unfinished one.", show_default=False, readable=False
    ),
]
Which = Annotated[Records, typer.Argument(metavar="assets|schedules", help="The records.", show_default=False)]


@push_app.command(cls=ManyValues)
def template(
    records: Which,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The file to write, .xlsx or .csv.", show_default="TYPE.xlsx or schedules.xlsx"
        ),
    ] = None,
    type_: Annotated[
        str | None,
        typer.Option("--type", metavar="TYPE", help="Its records: the name or id of a type.", show_default=False),
    ] = None,
    property_: Annotated[list[str] | None, ids_option("--property", "Only records of these properties.")] = None,
) -> None:
    """Write a file with the present values, ready to edit. Sends nothing."""
    from propsync.cli.push.plan import typed
    from propsync.cli.terminal.tables import echo
    from propsync.runbooks.push.plans import make_template

    properties, last = _ids_and_file(property_, file)
    path, count, notes = make_template(settings(), records.value, type_, properties, last)
    for line in notes:
        echo(f"Note: {line}")
    rows = f"{count:,} {'row' if count == 1 else 'rows'}"
    echo(f"{path} has {rows}. Edit it, then: propsync push plan {records.value} {typed(path)}")


@push_app.command(cls=ManyValues)
def plan(
    records: Which,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="CSV, .xlsx, Parquet or JSON lines; one row per record.",
            show_default=False,
            readable=False,  # propsync reads it, and says what to do if it cannot
        ),
    ] = None,
    sql: Annotated[
        str | None, typer.Option(metavar="SELECT", help="Rows from SQL on the published tables.", show_default=False)
    ] = None,
    type_: Annotated[
        str | None,
        typer.Option("--type", metavar="TYPE", help="The type of rows that do not name theirs.", show_default=False),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete schedules that the file lacks, of --property and --type.")
    ] = False,
    property_: Annotated[list[str] | None, ids_option("--property", "With --prune: of these properties.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="PLAN", help="Where to save it.", show_default="state/plans in the home")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare a file with the tables, and save the changes as a plan. Sends nothing."""
    from propsync.cli.push.plan import print_plan
    from propsync.runbooks.push.plans import Wanted, make_plan, names_of

    properties, last = _ids_and_file(property_, file)
    wanted = Wanted(records.value, last, sql, type_, properties, prune, out)
    chosen = settings()
    made, path = make_plan(chosen, wanted)
    print_plan(made, names_of(chosen, made), path, as_json=as_json)
    raise typer.Exit(3 if made.refused else 0)


@push_app.command()
def show(
    plan: PlanFile,
    show_all: Annotated[bool, typer.Option("--all", help="Print every change, not the first 50.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a saved plan again. Sends nothing."""
    from propsync.cli.push.plan import print_plan
    from propsync.push.journals.saved import given_plan
    from propsync.push.review.changes import MOST_CHANGES
    from propsync.runbooks.push.plans import names_of

    chosen = settings()
    saved = given_plan(chosen.home, chosen.state, plan)
    print_plan(saved, names_of(chosen, saved), plan, as_json=as_json, most=None if show_all else MOST_CHANGES)


def _ids_and_file(given: list[str] | None, file: Path | None) -> tuple[list[str], Path | None]:
    """The ids after an option that takes several, without the file that may follow them."""
    ids = [one.strip() for text in given or () for one in text.split(",")]
    if file is None and ids and ids[-1].lower().endswith(_FILES):
        return ids[:-1], Path(ids[-1])
    return ids, file
