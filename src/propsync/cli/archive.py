"""`propsync archive`: fetches documents, verifies them, and exports them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from propsync.cli.common_options import AsJson, ManyValues, ManyValuesGroup, ids_option, settings
from propsync.errors import UsageError

if TYPE_CHECKING:
    from propsync.runbooks import ArchiveReport
    from propsync.runbooks.archiving.export import ExportReport
    from propsync.runbooks.archiving.verify_report import VerifyReport

archive_app = typer.Typer(cls=ManyValuesGroup, invoke_without_command=True, rich_markup_mode=None)


@archive_app.callback()
def archive(
    context: typer.Context,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="Fetch only these kinds, separated by commas: report, bundle.",
            show_default="PROPSYNC_ARCHIVE_KINDS",
        ),
    ] = None,
    property_: Annotated[list[str] | None, ids_option("--property", "Only assessments of these properties.")] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Fetch at most this many documents.", show_default=False)
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Let the workers of this Dask scheduler fetch them into the bucket of PROPSYNC_STORAGE_URL.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Fetch reports and bundles. Takes those that are new, changed or due, within the night's budget."""
    if context.invoked_subcommand is not None:
        return
    from propsync.runbooks import Documents
    from propsync.runbooks import archive as archive_documents

    kinds = tuple(name.strip() for name in (kind or "").split(",") if name.strip())
    if kind is not None and not kinds:
        raise UsageError("--kind", "it names nothing", "Name report, bundle or both, or leave it out for all")
    properties = tuple(one.strip() for text in property_ or () for one in text.split(","))
    chosen = settings() if dask is None else settings().with_scheduler(dask)
    report = archive_documents(chosen, Documents(kinds, properties, limit))
    print_archive(report, as_json=as_json)
    raise typer.Exit(report.exit_code)


@archive_app.command()
def verify(
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Check at most this many files.", show_default=False)
    ] = None,
    remove_orphans: Annotated[
        bool,
        typer.Option("--remove-orphans", help="Remove files that no version names and that are at least a day old."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Hash stored files again, and fetch damaged and missing ones. Files that were verified longest ago come first."""
    from propsync.runbooks.archiving.verify import verify as verify_documents

    report = verify_documents(settings(), limit, remove_orphans=remove_orphans)
    print_verify(report, as_json=as_json)
    raise typer.Exit(report.exit_code)


@archive_app.command(cls=ManyValues)
def export(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder for the bag; new or empty.", show_default=False)
    ],
    property_: Annotated[list[str] | None, ids_option("--property", "Only assessments of these properties.")] = None,
    all_versions: Annotated[bool, typer.Option("--all-versions", help="Include older versions.")] = False,
    organisation: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Who hands the bag over (Source-Organization).", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a BagIt bag of stored documents for a regulator. Its folders show the property and the assessment."""
    from propsync.runbooks.archiving.export import export as export_documents

    properties = tuple(one.strip() for text in property_ or () for one in text.split(","))
    report = export_documents(settings(), folder, properties, all_versions=all_versions, organisation=organisation)
    print_export(report, as_json=as_json)
    raise typer.Exit(report.exit_code)


def print_archive(report: ArchiveReport, *, as_json: bool) -> None:
    """Prints the new and the missing documents, and the next command; or one JSON object."""
    from propsync.cli.report import print_removed
    from propsync.cli.terminal.tables import echo

    if as_json:
        echo(json.dumps(report.to_json()))
        return
    counts = report.counts
    echo(
        f"Documents: {counts['stored']:,} stored, {counts['same']:,} the same as before, {counts['missing']:,} missing "
        f"in the API, {counts['failed']:,} failed; {counts['bytes'] / 1e6:,.1f} MB"
    )
    print_removed(counts["removed"])
    if report.ended:
        echo(f"Stopped before asking for every document: {report.ended}")
    for line in report.left_behind:
        echo(f"Left behind: {line}")
    if report.lacking:
        wanted = f"{report.lacking:,} wanted documents are" if report.lacking != 1 else "1 wanted document is"
        echo(f'{wanted} lacking. Next: propsync query "from marts.document_coverage"')
    else:
        echo('Every wanted document is stored. Next: propsync query "from documents"')


def print_verify(report: VerifyReport, *, as_json: bool) -> None:
    """Prints the findings, the repairs, the rest, and the next command; or one JSON object."""
    from propsync.cli.terminal.tables import echo
    from propsync.runbooks.archiving.verify_report import are, counted

    if as_json:
        echo(json.dumps(report.to_json()))
        return
    counts, young = report.counts, report.counts["young_orphans"]
    echo(
        f"Files: {counts['files']:,} checked, {counts['bytes'] / 1e6:,.1f} MB hashed again; {counts['rotten']:,} "
        f"damaged, {counts['gaps']:,} missing, {counts['unreadable']:,} unreadable; {counts['mended']:,} repaired; "
        f"{counted(counts['orphans'], 'orphan')}, {counts['removed']:,} removed"
    )
    for name, lines in (("Repaired", report.mended), ("Lost", report.not_mended), ("Orphan", report.orphans)):
        for line in lines:
            echo(f"{name}: {line}")
    if report.ended:
        echo(f"Stopped before fetching every file again: {report.ended}")
    if report.due:
        echo(f"{counted(report.due, 'file')} {are(report.due)} left for the next check.")
    if young:
        echo(f"{counted(young, 'orphan')} {are(young)} too young to remove: run this again tomorrow.")
    echo(_after_verify(report))


def _after_verify(report: VerifyReport) -> str:
    from propsync.runbooks.archiving.verify_report import are, counted

    if lost := report.lost:
        query = "from documents where state = 'stored' and last_error is not null"
        return f'{counted(lost, "file")} {are(lost)} lost. Next: propsync query "{query}"'
    if left := report.orphans_left:
        return f"{counted(left, 'orphan')} {are(left)} left. Next: propsync archive verify --remove-orphans"
    if report.due:
        return "Every file checked is as it was stored. Next: propsync archive verify"
    if not report.counts["files"]:  # the home may be the wrong one, so this is no good news
        return "No document is stored in this home (PROPSYNC_HOME). Next: propsync status"
    return "Every file is as it was stored. Next: propsync archive export DIR"


def print_export(report: ExportReport, *, as_json: bool) -> None:
    """Prints the documents in the bag, those left out, and the next command; or one JSON object."""
    from propsync.cli.terminal.tables import echo

    if as_json:
        echo(json.dumps(report.to_json()))
        return
    for line in report.left_out:
        echo(f"Left out: {line}")
    if report.hidden:
        echo(f"In no bag: documents of types that [privacy] hides, {report.hidden:,} of all properties")
    if report.removed:
        echo(f"In no bag: documents that were erased or removed, {report.removed:,}")
    size = f"{report.size_bytes / 1e6:,.1f} MB"
    summary = f"{report.documents:,} documents, {size}, are in the bag {report.folder}, validated"
    if report.not_exported:
        echo(f"{summary}; {report.not_exported:,} could not be exported. Next: propsync archive verify")
    elif report.lacking:
        echo(f"{summary}. Next: propsync archive")
    else:
        echo(f"{summary}. Next: propsync status")
