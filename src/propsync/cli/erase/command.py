"""`propsync erase`: erases what one request names, or shows what would go."""

from __future__ import annotations

from typing import Annotated

import typer

from propsync.cli.common_options import AsJson, settings
from propsync.cli.erase.verify import run_verify, typed_text, words_of
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
    str | None,
    typer.Option(
        metavar="TEXT",
        show_default=False,
        help="Erase this text wherever it is, in any case. With -, propsync asks for it.",
    ),
]
Reason = Annotated[
    str | None,
    typer.Option(metavar="TEXT", show_default=False, help="Why. It stays in ops.erasures, so name no person in it."),
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
    resume: Annotated[bool, typer.Option("--resume", help="Finish the erasure that was interrupted.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Look for it in every file and object, and erase nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Erase an asset, an assessment, a field or a text everywhere."""
    text = typed_text() if text == "-" else text
    if verify:
        if reason or dry_run or forget or resume:
            raise UsageError("erase --verify", "it erases nothing", "Leave the other options out")
        words = words_of(asset, assessment, field, text)
        raise typer.Exit(run_verify(settings(), words, as_json=as_json))
    _check_one_thing(asset if field is None else None, assessment, field, text, forget, "resume" if resume else None)
    if dry_run and (forget is not None or resume):
        raise UsageError("--dry-run", "it shows what an erasure would take, and changes nothing", "Leave it out")
    if not (dry_run or forget is not None or resume or (reason or "").strip()):
        raise UsageError("--reason", "an erasure needs a reason, which stays in ops.erasures", 'Add --reason "…"')
    from propsync.cli.erase.outcome import run_erase, run_find, run_forget
    from propsync.erasing.request import Request

    request = Request(asset, assessment, field, text, reason or "")
    if forget is not None:
        raise typer.Exit(run_forget(settings(), forget, as_json=as_json))
    if dry_run:
        raise typer.Exit(run_find(settings(), request, as_json=as_json))
    raise typer.Exit(run_erase(settings(), None if resume else request, as_json=as_json))


def _check_one_thing(*given: str | None) -> None:
    """Raises UsageError unless exactly one of these options is given, empty or not."""
    if sum(one is not None for one in given) != 1:
        known = "Name one of --asset, --assessment, --field (with or without --asset), --text, --forget or --resume"
        raise UsageError("erase", "it erases one thing at a time", known)
