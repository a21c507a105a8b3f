"""`propsync archive`: documents fetched, checked again, and handed over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from propsync.cli.given import AsJson, ManyValuesGroup, ids_option, settings

if TYPE_CHECKING:
    from propsync.runbooks import ArchiveReport

archive_app = typer.Typer(cls=ManyValuesGroup, invoke_without_command=True, rich_markup_mode=None)


@archive_app.callback()
def archive(
    context: typer.Context,
    kind: Annotated[str, typer.Option(help="Just these kinds: report, bundle.", show_default="those set")] = "",
    property_: Annotated[list[str] | None, ids_option("--property", "Just assessments of these properties.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many documents.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Fetch reports and bundles that are new, changed or due, within the night's budget."""
    if context.invoked_subcommand is not None:
        return
    from propsync.runbooks import Documents
    from propsync.runbooks import archive as archive_documents

    kinds = tuple(name.strip() for name in kind.split(",") if name.strip())
    properties = tuple(one.strip() for text in property_ or () for one in text.split(","))
    report = archive_documents(settings(), Documents(kinds, properties, limit))
    print_archive(report, as_json=as_json)
    raise typer.Exit(report.exit_code)


def print_archive(report: ArchiveReport, *, as_json: bool) -> None:
    """What came, what is lacking still, and what to type next; or one JSON object."""
    from propsync.cli.tables import echo

    if as_json:
        echo(json.dumps(report.to_json()))
        return
    counts = report.counts
    echo(
        f"Documents: {counts['stored']:,} stored, {counts['same']:,} the same as before, {counts['missing']:,} missing "
        f"in the API, {counts['failed']:,} failed; {counts['bytes'] / 1e6:,.1f} MB"
    )
    if report.ended:
        echo(f"Ended before all were asked for: {report.ended}")
    for line in report.left_behind:
        echo(f"Left behind: {line}")
    if report.lacking:
        echo(f'{report.lacking:,} wanted documents are lacking. Next: propsync query "from marts.document_coverage"')
    else:
        echo('Every wanted document is there. Next: propsync query "from documents"')
