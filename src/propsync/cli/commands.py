"""The commands of `propsync` and their options; each imports its work when it runs, so that `--help` stays quick."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from propsync import __version__
from propsync.cli import common_options as given
from propsync.cli import garbage
from propsync.cli.archive import archive_app
from propsync.cli.common_options import AsJson, ManyValues, ids_option, settings
from propsync.cli.erase.command import erase
from propsync.cli.push.sending import push_app
from propsync.cli.query.sql_source import SqlCommand, sql_text
from propsync.cli.services.options import sandbox, serve, webhook
from propsync.cli.storage import storage_app
from propsync.cli.terminal import lines
from propsync.errors import UsageError

app = typer.Typer(
    name="propsync",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks show local values, which may include a token
    rich_markup_mode=None,
    help=(
        "Keeps a trustworthy, queryable copy of your property assets, assessments and assessment schedules.\n\n"
        "New here? `propsync demo` shows everything with made-up data. Then set PROPSYNC_BASE_URL and "
        "PROPSYNC_TOKEN, and run `propsync doctor` and `propsync sync`.\n\n"
        "Exit codes: 0 all well; 1 failed, nothing published; 2 wrong usage or settings; 3 published, but something "
        "left behind. With 4 another run is at work, and 130 means interrupted."
    ),
)


app.add_typer(archive_app, name="archive")
app.add_typer(push_app, name="push")
app.add_typer(storage_app, name="storage")


LOG_LEVELS = ("debug", "info", "warning")
"""The levels of log lines on standard error."""


class Format(StrEnum):
    """The format of rows."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    XLSX = "xlsx"
    PARQUET = "parquet"


class DictionaryFormat(StrEnum):
    """The format of the dictionary."""

    HTML = "html"
    MD = "md"
    CSV = "csv"
    JSON = "json"


Version = Annotated[
    bool,
    typer.Option(
        "--version", callback=lambda wanted: _show_version(wanted), is_eager=True, help="Show the version and exit."
    ),
]


@app.callback()
def options(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Settings file. Default: propsync.toml in PROPSYNC_HOME.", show_default=False
        ),
    ] = None,
    log_level: Annotated[
        str, typer.Option(metavar=f"<{'|'.join(LOG_LEVELS)}>", help="How much to log on standard error.")
    ] = LOG_LEVELS[1],
    version: Version = False,  # noqa: ARG001 - typer calls its callback
) -> None:
    """Options that every command takes."""
    given.config, given.command = config, context.invoked_subcommand
    if log_level.lower() not in LOG_LEVELS:
        raise UsageError("--log-level", f"{log_level[:40]!r} is no level", f"Give one of {', '.join(LOG_LEVELS)}")
    lines.configure(log_level.upper(), interactive=sys.stderr.isatty())


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"propsync {__version__}")
        raise typer.Exit


@app.command()
def sync(
    only: Annotated[
        str | None,
        typer.Option(
            metavar="RESOURCES",
            help="Sync only these, separated by commas: assets, assessments, schedules.",
            show_default="all",
        ),
    ] = None,
    accept_deletes: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Accept the deletes that this run held, if the records are still missing."),
    ] = None,
    no_archive: Annotated[
        bool, typer.Option("--no-archive", help="Do not fetch documents; `propsync archive` fetches them later.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read the API, merge and publish; then fetch documents. This is the nightly run."""
    from propsync.cli.report import print_report
    from propsync.runbooks import night

    names = [name.strip() for name in (only or "").split(",") if name.strip()]
    if only is not None and not names:
        raise UsageError("--only", "it names nothing", "Name some resources, or leave it out for all")
    with garbage.imports_left_alone():
        report = night(settings(), names, accept=accept_deletes, with_documents=not no_archive)
    print_report(report, as_json=as_json)
    raise typer.Exit(report.exit_code)


@app.command(cls=ManyValues)
def backfill(
    property_: Annotated[list[str] | None, ids_option("--property", "Read only these properties.")] = None,
    asset_type: Annotated[list[str] | None, ids_option("--asset-type", "Read only assets of these types.")] = None,
    assessment_type: Annotated[
        list[str] | None, ids_option("--assessment-type", "Read only assessments and schedules of these types.")
    ] = None,
    asset: Annotated[list[str] | None, ids_option("--asset", "Read only these assets.")] = None,
    assessment: Annotated[list[str] | None, ids_option("--assessment", "Read only these assessments.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read a part of the API again and merge it. It deletes no record outside that part."""
    from propsync.cli.report import print_report
    from propsync.runbooks import Scope, backfill

    given = (property_, asset_type, assessment_type, asset, assessment)
    scope = Scope(*(tuple(one.strip() for text in ids or () for one in text.split(",")) for ids in given))
    with garbage.imports_left_alone():
        report = backfill(settings(), scope)
    print_report(report, as_json=as_json)
    raise typer.Exit(report.exit_code)


@app.command(cls=ManyValues)
def rebuild(
    accept_loss: Annotated[
        list[str] | None,
        typer.Option(metavar="RUN…", show_default=False, help="Accept the loss of what was damaged in these runs."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rebuild tables and history from the stored API responses. Asks the API nothing; refuses to lose anything."""
    from propsync.cli.rebuild import run_rebuild

    runs = [one.strip() for words in accept_loss or () for one in words.split(",")]
    raise typer.Exit(run_rebuild(settings(), runs, as_json=as_json))


@app.command()
def status(
    max_age: Annotated[
        str | None,
        typer.Option(
            metavar="AGE",
            help="Exit with code 3 if the published tables are older than this: 26h, 90m, 2d.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how fresh and how complete the published tables are."""
    from propsync.cli.status.command import print_status

    raise typer.Exit(print_status(settings(), max_age, as_json=as_json))


@app.command()
def doctor() -> None:
    """Check settings, token, disk and every endpoint. Shows the shapes that propsync found, and why."""
    from propsync.cli.doctor import print_doctor

    raise typer.Exit(print_doctor(settings()))


@app.command(cls=SqlCommand, context_settings={"allow_extra_args": True})
def query(
    sql: Annotated[
        str | None,
        typer.Argument(
            metavar="SQL", help="SQL to run on the published tables; - reads standard input.", show_default=False
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File with the SQL; - reads standard input.", show_default=False)
    ] = None,
    output_format: Annotated[Format, typer.Option("--format", help="Format of the rows.")] = Format.TABLE,
    for_excel: Annotated[
        bool, typer.Option("--excel", help="With --format csv: a file for Excel, in which no text is a formula.")
    ] = False,
    tables: Annotated[bool, typer.Option("--tables", help="List the tables and what each is for.")] = False,
    describe: Annotated[
        str | None, typer.Option(metavar="TABLE", help="List the columns of a table.", show_default=False)
    ] = None,
) -> None:
    """Query the published tables with SQL. A terminal gets the first 100 rows; a pipe or a file gets all."""
    from propsync.cli.query.command import run_query

    if sql is not None and file is not None:
        raise UsageError("query", "give the SQL or --file, not both", "Use only one of them")
    text = sql_text(sql, file, may_be_piped=not tables and describe is None)
    run_query(settings(), text, output_format.value, tables=tables, describe=describe, for_excel=for_excel)


app.command()(erase)


@app.command()
def dashboard(
    open_: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Write the dashboard of the published tables. Runs do so at their end."""
    from propsync.cli.dashboard import run_dashboard

    run_dashboard(settings(), is_opened=open_)


@app.command()
def dictionary(
    output_format: Annotated[DictionaryFormat, typer.Option("--format", help="Format.")] = DictionaryFormat.MD,
) -> None:
    """Print every column that is published. HTML has a search box."""
    from propsync.cli.dictionary import run_dictionary

    run_dictionary(settings(), output_format.value)


@app.command()
def demo(
    scale: Annotated[int, typer.Option(metavar="N", min=20, help="Number of assets to make up.")] = 2_000,
    home: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Keep the demo's files in this new or empty folder.", show_default="a temporary folder"
        ),
    ] = None,
) -> None:
    """Show everything with made-up data. Syncs, lets a night of changes pass, and syncs again."""
    from propsync.cli.demo.command import run_demo

    raise typer.Exit(run_demo(scale, home))


app.command()(serve)
app.command()(webhook)
app.command()(sandbox)
