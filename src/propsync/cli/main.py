"""`propsync`: the commands, their options, and the meaning of their exit codes."""

from __future__ import annotations

import errno
import logging
import os
import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from propsync import __version__, log
from propsync.cli import common_options as given
from propsync.cli import garbage, lines, output, stopping
from propsync.cli.archive import archive_app
from propsync.cli.common_options import AsJson, ManyValues, ids_option, settings
from propsync.cli.sql_source import SqlCommand, sql_text
from propsync.cli.start import INTERRUPTED, WORDS
from propsync.cli.text_tables import say
from propsync.errors import PropsyncError, ResourceFailed, UsageError

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
        "Exit codes: 0 all well, 1 failed and nothing published, 2 wrong usage or settings, 3 published but something "
        "was left behind, 4 another run is at work."
    ),
)


app.add_typer(archive_app, name="archive")


class LogLevel(StrEnum):
    """The level of log lines on standard error."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"


class Format(StrEnum):
    """The format of rows."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


Version = Annotated[
    bool,
    typer.Option("--version", callback=lambda wanted: _tell_version(wanted), is_eager=True, help="Tell the version."),
]


@app.callback()
def options(
    context: typer.Context,
    config: Annotated[
        Path | None, typer.Option(help="Settings file; without it, propsync.toml in PROPSYNC_HOME.", show_default=False)
    ] = None,
    log_level: Annotated[
        LogLevel, typer.Option(case_sensitive=False, help="How much to tell on standard error.")
    ] = LogLevel.INFO,
    version: Version = False,  # noqa: ARG001 - typer calls its callback
) -> None:
    """Options that every command takes."""
    given.config, given.command = config, context.invoked_subcommand
    lines.configure(log_level.value, interactive=sys.stderr.isatty())


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"propsync {__version__}")
        raise typer.Exit


_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@app.command()
def sync(
    only: Annotated[
        str, typer.Option(help="Sync just these, comma-separated: assets, assessments, schedules.", show_default="all")
    ] = "",
    accept_deletes: Annotated[
        str | None, typer.Option(metavar="RUN", help="Let go what that run held and what is still gone.")
    ] = None,
    no_archive: Annotated[bool, typer.Option("--no-archive", help="Leave documents to a run of their own.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read the API, merge what changed, publish; then fetch documents. The nightly run, once, now."""
    from propsync.cli.report import print_report
    from propsync.runbooks import night

    names = [name.strip() for name in only.split(",") if name.strip()]
    with garbage.imports_left_alone():
        report = night(settings(), names, accept=accept_deletes, with_documents=not no_archive)
    print_report(report, as_json=as_json)
    raise typer.Exit(report.exit_code)


@app.command(cls=ManyValues)
def backfill(
    property_: Annotated[list[str] | None, ids_option("--property", "Just these properties.")] = None,
    asset_type: Annotated[list[str] | None, ids_option("--asset-type", "Just assets of these types.")] = None,
    assessment_type: Annotated[
        list[str] | None, ids_option("--assessment-type", "Just assessments and schedules of these types.")
    ] = None,
    asset: Annotated[list[str] | None, ids_option("--asset", "Just these assets.")] = None,
    assessment: Annotated[list[str] | None, ids_option("--assessment", "Just these assessments.")] = None,
    as_json: AsJson = False,
) -> None:
    """Re-read just that part of the API and merge it; nothing else is concluded to be gone."""
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
        typer.Option(metavar="RUN…", show_default=False, help="Go without what damage took from these runs."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rebuild tables and history from what was landed, without asking the API; refuse if anything would be lost."""
    from propsync.cli.rebuild import run_rebuild

    runs = [one.strip() for words in accept_loss or () for one in words.split(",")]
    raise typer.Exit(run_rebuild(settings(), runs, as_json=as_json))


@app.command()
def status(
    max_age: Annotated[
        str | None, typer.Option(help="Exit 3 if what is published is older: 26h, 90m, 2d.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How fresh and how complete the published copy is."""
    from propsync.cli.status import print_status

    raise typer.Exit(print_status(settings(), max_age, as_json=as_json))


@app.command()
def doctor() -> None:
    """Check settings, token, TLS, reachability, disk and file system; show the shapes found and why."""
    from propsync.cli.doctor import print_doctor

    raise typer.Exit(print_doctor(settings()))


@app.command(cls=SqlCommand)
def query(
    sql: Annotated[
        str | None, typer.Argument(help="SQL on what is published; - reads standard input.", show_default=False)
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="File with the SQL; - is standard input.", show_default=False)
    ] = None,
    output_format: Annotated[Format, typer.Option("--format", help="How to write the rows.")] = Format.TABLE,
    tables: Annotated[bool, typer.Option("--tables", help="List tables and what they are for.")] = False,
    describe: Annotated[
        str | None, typer.Option(metavar="TABLE", help="List a table's columns.", show_default=False)
    ] = None,
) -> None:
    """Read what is published with SQL. A terminal gets the first 100 rows, a pipe or file gets all."""
    from propsync.cli.query import run_query

    if sql is not None and file is not None:
        raise UsageError("query", "give the SQL or --file, not both", "Keep one of the two")
    text = sql_text(sql, file, may_be_piped=not tables and describe is None)
    run_query(settings(), text, output_format.value, tables=tables, describe=describe)


@app.command()
def demo(
    scale: Annotated[int, typer.Option(min=20, help="How many assets to make up.")] = 2_000,
    home: Annotated[
        Path | None, typer.Option(help="Keep what was made in this folder.", show_default="a temporary folder")
    ] = None,
) -> None:
    """Show everything with made-up data: sync, a night of change, sync again, what changed."""
    from propsync.cli.demo import run_demo

    raise typer.Exit(run_demo(scale, home))


@app.command()
def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port for Prefect's pages and API.")] = 4200,
    host: Annotated[
        str, typer.Option(help="Address to listen on. Beyond this machine anyone who reaches it can run things.")
    ] = "127.0.0.1",
) -> None:
    """Run a local Prefect server, worker and the deployments, until interrupted."""
    from propsync.cli.serve import run_serve

    raise typer.Exit(run_serve(settings(), given.config, host, port))


@app.command()
def sandbox(
    port: Annotated[int, typer.Option(help="Port on loopback; 0 takes a free one.")] = 0,
    scale: Annotated[int, typer.Option(min=1, help="How many assets to make up.")] = 2_000,
    faults: Annotated[
        Path | None, typer.Option(help="JSON file with faults to play (see docs/sandbox.md).", show_default=False)
    ] = None,
) -> None:
    """Serve the whole API with made-up data on this machine, until interrupted."""
    from propsync.cli.sandbox import command

    arguments = command(port=port, scale=scale, faults=faults)
    os.execv(arguments[0], arguments)


_PUBLISHING = ("sync", "backfill", "rebuild", "archive")  # their work is done, whether or not anybody reads the output


def program() -> NoReturn:
    """`propsync`: runs and exits. By now everything is closed, and Python's own shutdown would take 0.1 s."""
    code = 1
    try:
        run()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except KeyboardInterrupt:
        code = INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        logging.shutdown()
        os._exit(code)


def run() -> None:
    """Runs a command and ends with its exit code; no traceback for faults that users can correct themselves."""
    garbage.look_seldom()
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # httpx's own program, and with it rich
    output.prepare()
    code: int | str | None = 0
    try:
        code = _command()
    except ResourceFailed as error:  # one that no run could assign to a resource
        say(str(error))
        code = 1
    except PropsyncError as error:
        say(str(error))
        code = error.exit_code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:
        if stopping.was_asked:  # in the middle of an import, which turned it into another error
            code = INTERRUPTED
        else:
            logging.getLogger("propsync").debug("unexpected error", exc_info=True)
            say(_words(error))
            code = 1
    if code == INTERRUPTED:
        say(WORDS)
    without_output = _code_without_output()
    sys.exit(code or without_output)


def _command() -> int | str | None:
    """Runs a command and writes its output; returns its exit code."""
    code: int | str | None = 0
    try:
        app()
    except SystemExit as ended:  # how typer ends; it has reported wrong usage by then
        code = ended.code
    try:
        sys.stdout.flush()
    except OSError as error:
        output.lose(error)
    return code


def _code_without_output() -> int:
    """Says why output was lost. A successful run then ends with 3: it published, but its report is incomplete."""
    if output.lost is None or isinstance(output.lost, BrokenPipeError):  # the reader has gone, as with `| head`
        return 0
    say(_words(output.lost))
    return 3 if given.command in _PUBLISHING else 1


def _words(error: Exception) -> str:
    """The message for an error that is not ours: of the output, whose file has no name here, or a fault."""
    if isinstance(error, OSError) and error.filename is None and error.errno in _NOT_WRITTEN:
        return f"standard output: it cannot be written ({error.strerror}). Make room there, or send it elsewhere"
    step = "This is a fault in propsync: run again with --log-level DEBUG and report what it says"
    return f"{type(error).__name__}: {log.redact(' '.join(str(error).split()))}. {step}"
