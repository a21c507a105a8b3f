"""`propsync erase`: erases what one request names, or shows what would go."""

from __future__ import annotations

from typing import Annotated

import typer

from propsync.cli.common_options import AsJson
from propsync.errors import UsageError

Asset = Annotated[
    str | None, typer.Option(metavar="ID", show_default=False, help="Erase this asset; with --field, only that field.")
]
Assessment = Annotated[
    str | None, typer.Option(metavar="ID", show_default=False, help="Erase this assessment and its documents.")
]
Field = Annotated[
    str | None, typer.Option(metavar="ID", show_default=False, help="Erase this field of all assets, or of --asset.")
]
Text = Annotated[
    str | None, typer.Option(metavar="TEXT", show_default=False, help="Erase this text wherever it is, in any case.")
]
Reason = Annotated[
    str | None, typer.Option(show_default=False, help="Why. It stays in ops.erasures, so name no person in it.")
]
Forget = Annotated[
    str | None,
    typer.Option(metavar="ID", show_default=False, help="Let an erased thing come back: an id of ops.erasures."),
]


def erase(
    asset: Asset = None,
    assessment: Assessment = None,
    field: Field = None,
    text: Text = None,
    reason: Reason = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would go and where it is. Erase nothing.")
    ] = False,
    forget: Forget = None,
    as_json: AsJson = False,  # noqa: ARG001
) -> None:
    """Erase an asset, an assessment, a field or a text from everything that propsync keeps."""
    _check_one_thing(asset, assessment, field, text, forget)
    if not (dry_run or forget or (reason or "").strip()):
        raise UsageError("--reason", "an erasure needs a reason, which stays in ops.erasures", 'Add --reason "…"')
    raise UsageError("erase", "this version cannot erase yet", "Update propsync")


def _check_one_thing(
    asset: str | None, assessment: str | None, field: str | None, text: str | None, forget: str | None
) -> None:
    """Raises UsageError unless the options name exactly one thing."""
    given = [bool(asset and not field), bool(assessment), bool(field), bool(text), bool(forget)]
    if sum(given) != 1 or (asset and not field and sum(given) > 1) or (asset and (assessment or text or forget)):
        known = "Name one of --asset, --assessment, --field (with or without --asset), --text or --forget"
        raise UsageError("erase", "it erases one thing at a time", known)
