"""The commands of `propsync push` that send, reverse and list writes; `push` puts them in its group."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from propsync.cli import garbage
from propsync.cli.common_options import AsJson, settings
from propsync.cli.push.commands import PlanFile, push_app

if TYPE_CHECKING:
    from propsync.push.plan import Plan
    from propsync.runbooks.push.report import PushReport
    from propsync.settings import Settings

__all__ = ["push_app"]
_MOST_LINES = 50


@push_app.command()
def apply(
    plan: PlanFile,
    allow_large: Annotated[
        str | None, typer.Option(metavar="PLAN_ID", help="Consent to a large plan, by its id.", show_default=False)
    ] = None,
    give_up: Annotated[
        bool, typer.Option("--give-up", help="Send nothing more of an unfinished plan, and end it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Send exactly what a plan says, read it back and publish. Resumes an unfinished apply."""
    from propsync.push.journals.saved import given_plan
    from propsync.runbooks.push.apply import apply as apply_plan

    chosen = settings()
    saved = given_plan(chosen.home, chosen.state, plan)
    try:
        with garbage.imports_left_alone():
            report = apply_plan(chosen, saved, allow_large, gives_up=give_up)
    except KeyboardInterrupt:
        _say_what_is_sent(chosen, saved)
        raise
    if as_json:
        from propsync.cli.terminal.tables import echo

        echo(json.dumps(report.summary(plan), ensure_ascii=False))
    else:
        _print(report, plan)
    raise typer.Exit(report.exit_code)


def _say_what_is_sent(chosen: Settings, plan: Plan) -> None:
    """After Ctrl-C: how far it came. Without a journal, it has not begun, or a run has recorded everything."""
    from propsync.cli.terminal.tables import say
    from propsync.push.journals.journal import read_journal
    from propsync.storage import LocalStorage

    if journalled := read_journal(LocalStorage(chosen.home), plan.plan_id):
        tried, count = len(journalled.sent), len(plan.entries)
        is_rest = len(journalled.sent | journalled.outcomes.keys()) < count
        rest = "sends the rest, and reads back" if is_rest else "reads back"
        so_far = f"propsync has tried to write {tried:,} of {count:,} records of plan {plan.plan_id}"
        say(f"{so_far}. The same command {rest} what it has sent")


def _print(report: PushReport, path: Path) -> None:
    from propsync.cli.terminal.tables import echo
    from propsync.push.review.changes import counted

    if not report.run_id:
        echo("The plan has nothing to send. Next: propsync status")
        return
    if report.is_repeat:
        echo(f"Run {report.run_id} has applied this plan, so propsync sent nothing")
    counts = report.counts()
    echo(
        f"Plan {report.plan.plan_id} of {report.plan.file}: {counted(counts['verified'], 'record')} verified, "
        f"{counts['skipped']:,} skipped, {counts['failed']:,} failed"
    )
    if report.already:
        echo(f"{counted(report.already, 'record')} had the planned values already, so propsync did not send them")
    lines = report.lines
    for line in lines[:_MOST_LINES]:
        echo(line)
    if len(lines) > _MOST_LINES:
        echo(f"The first {_MOST_LINES} of {len(lines):,} lines. For all of them: propsync push apply {path} --json")
    echo(_next_command(report))


def _next_command(report: PushReport) -> str:
    """The last line: what to type after an apply."""
    if report.has_written and report.is_lasting:
        rest = "Each line above says what to do" if report.left_behind else "Next: propsync status"
        return f"The API cannot delete assets, so no undo takes these back. {rest}"
    if report.has_written:
        # the plan's id, since an earlier run that was killed may have recorded all of it
        undo = f"propsync push undo {report.plan.plan_id}"
        if report.left_behind:
            return f"Each line above says what to do. To take the writes back: {undo}"
        return f"Next: {undo} plans the way back"
    if report.left_behind:
        return "propsync knows of no write to take back. Each line above says what to do"
    return "Nothing is left to do, and there is nothing to undo. Next: propsync status"


@push_app.command()
def undo(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run that wrote, or the id of its plan.")],
    out: Annotated[
        Path | None, typer.Option(metavar="PLAN", help="Where to save the plan.", show_default="state/plans/")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Plan the way back: the values from before a run. Sends nothing."""
    from propsync.cli.push.plan import print_plan
    from propsync.push.plan import check_out
    from propsync.push.review.summary import keep_plan
    from propsync.runbooks.push.plans import names_of
    from propsync.runbooks.push.undo import undo as plan_undo

    chosen = settings()
    check_out(out)
    plan = plan_undo(chosen, run)
    path = keep_plan(chosen.state, plan, out)
    print_plan(plan, names_of(chosen, plan), path, as_json=as_json)
    raise typer.Exit(3 if plan.refused else 0)


@push_app.command()
def history(as_json: AsJson = False) -> None:
    """List the plans that were applied, and those that are unfinished."""
    from propsync.cli.push.history import print_history
    from propsync.runbooks.push.undo import history as past_plans
    from propsync.runbooks.push.undo import unfinished

    chosen = settings()
    hides_any = bool(chosen.privacy.hide)
    print_history(past_plans(chosen), unfinished(chosen), chosen.zone, as_json=as_json, hides_any=hides_any)
