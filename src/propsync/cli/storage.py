"""`propsync storage`: moves a home to an object store and back."""

from __future__ import annotations

from typing import Annotated

import typer

from propsync.cli.common_options import settings

storage_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Move a home to an object store and back.")


@storage_app.command()
def move(
    to: Annotated[
        str, typer.Option("--to", metavar="URL", help="s3://bucket/folder, az://container/folder, or a folder.")
    ],
) -> None:
    """Copy a home to a bucket, or from its bucket to a folder. propsync verifies each file by its hash."""
    from propsync.cli.terminal.tables import echo
    from propsync.runbooks.storage_move import move_storage

    report = move_storage(settings(), to)
    if report.lost:
        count = "1 document is" if len(report.lost) == 1 else f"{len(report.lost):,} documents are"
        echo(f"Left behind: {count} lost, such as {report.lost[0]}. Afterwards run `propsync archive verify`")
    echo(f"Copied and verified: {report.files:,} files and {report.documents:,} documents. Next: {report.next_step}")
    if report.lost:
        raise typer.Exit(3)
