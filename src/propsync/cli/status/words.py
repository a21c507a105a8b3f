"""The words of `propsync status`: each finding in a line, and the next step."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from propsync.cli.erase.count import print_erasures
from propsync.cli.push.unfinished import print_unfinished
from propsync.cli.status.damage import print_damage, print_newer
from propsync.cli.terminal.tables import echo
from propsync.documents.lost_files import MOUNT_OR_VERIFY
from propsync.errors import StateUnusable
from propsync.progress import size_in_words
from propsync.warehouse import in_short

_WORDS = {
    "certified": "read completely at {}",
    "agreed": "read completely at {}, though the API's total is wrong",
    "incomplete": "read in part at {}: the list changed meanwhile, or its total or a filter is wrong",
    "failed": "could not be read at {}; its older rows stay",
}
_PART = "no sync has read them yet, only a run that reads a part"


def print_facts(facts: dict[str, Any], max_age: str | None) -> None:
    """Prints what `propsync status` found, and the next step."""
    echo(f"Published: as of {in_words(facts['published_at'])}, run {facts['run_id']}, {facts['status']}")
    if facts["running"]:
        echo(f"At work now: {facts['running']}")
    if facts["trouble"]:
        echo(facts["trouble"])
    if facts["unusable_state"]:
        echo(f"No run can use the state database: {facts['unusable_state']}")
    print_newer(facts["landing"])  # None while a run is at work: it may be the one that landed
    for line in facts["left_behind"]:
        echo(f"Left behind: {line}")
    print_unfinished(facts["unfinished_plans"])
    echo()
    for row in facts["resources"]:
        is_above = any((row["error"] or "") in line for line in facts["left_behind"])
        reason = f": {row['error']}" if row["error"] and not is_above else ""
        echo(_resource_line(row, facts["tables"].get(row["resource"], 0)) + reason)
    for row in facts["held_deletes"]:
        name = row["resource"].replace("_", " ")
        echo(f"Held: {row['records']:,} of the {name}, {row['reason']} (run {row['run_id']})")
    for row in facts["newly_volatile"]:
        name = row["resource"].replace("_", " ")
        echo(
            f"Volatile since run {row['run_id']}: {row['members']} of {name}; differences there do not count as changes"
        )
    _print_warnings(facts["warnings"])
    _print_documents(facts["documents"])
    print_damage(facts["landing"], facts["unreadable"])
    _print_hints(facts["hints"], facts["unread_posts"])
    for name in facts["damaged_hints"]:
        echo(f"Damaged: {name}: propsync cannot read these hints. The night finds their changes: remove the file")
    print_erasures(facts["erasures"])
    if facts["delta"]:
        echo(f"Delta: {len(facts['delta'])} tables in published/delta")
    echo(f"\nOn disk: {', '.join(f'{name} {size_in_words(used)}' for name, used in facts['disk_bytes'].items())}")
    echo(f"\n{_next(facts, max_age)}")


def _next(facts: dict[str, Any], max_age: str | None) -> str:
    if facts["erasures"] and facts["erasures"]["is_unfinished"]:
        return "Next: propsync erase --resume; no other run starts before that"
    if facts["unusable_state"]:
        step = facts["unusable_state_step"]
        return "Next: propsync rebuild" if step == StateUnusable.advice else f"Next: {step}"
    if facts["is_ahead"]:
        return "The tables are dated in the future: correct the clock of this machine. Next: propsync sync"
    if not facts["is_fresh"] and not facts["was_synced"]:
        return "No sync has published yet, only runs that read a part. Next: propsync sync"
    if not facts["is_fresh"]:
        return f"Older than {max_age}: {', '.join(facts['old'])}. A nightly run is missing. Next: propsync sync"
    if facts["held_deletes"] and not has_failed(facts["trouble"]):  # to accept them is a sync, which would fail too
        held_by = facts["held_deletes"][-1]["run_id"]
        return f"Next: look at ops.held_deletes, then propsync sync --accept-deletes {held_by}"
    damaged = facts["landing"]["damaged"] if facts["landing"] else []
    if damaged or facts["unreadable"]:
        return _next_after_damage(damaged, in_bucket=bool(facts["bucket"]))
    return _next_after_runs(facts)


def _next_after_damage(damaged: list[dict[str, Any]], *, in_bucket: bool) -> str:
    if all(one["is_denied"] for one in damaged):
        return "Next: give all of PROPSYNC_HOME to the user who runs propsync (chown -R)"
    if in_bucket:
        return "Next: propsync rebuild brings the damaged files home from the bucket"
    if all(one["resource"] == "base" for one in damaged):
        return "Next: propsync sync, which writes the damaged base again from the state database"
    return "Next: restore the damaged files from a backup; without them a rebuild loses what they held"


def _next_after_runs(facts: dict[str, Any]) -> str:
    if has_failed(facts["trouble"]) and facts["trouble"].endswith(StateUnusable.advice):
        return "Next: propsync rebuild"  # the run read the whole state; the doctor opens it only
    if has_failed(facts["trouble"]):
        return "Next: propsync doctor, then propsync sync"
    has_newer = bool(facts["landing"] and facts["landing"]["newer"])
    is_whole = facts["status"] == "ok" and not facts["trouble"] and not has_newer
    if facts["status"] != "ok" and facts["flow"] == "push" and not facts["trouble"]:
        return "Next: propsync push history"  # a sync sends nothing again
    if facts["documents"]["gone"]:
        return f"Next: {MOUNT_OR_VERIFY[0].lower()}{MOUNT_OR_VERIFY[1:]}"
    if facts["documents"]["lost"]:
        return "Next: propsync archive verify" + ("" if is_whole else ", then propsync sync")
    if is_whole and (days := _days_since_sync(facts)) > 1:
        return f"The last sync was {days:,} days ago. Next: propsync sync"
    return "Next: propsync query --tables" if is_whole else "Next: propsync sync"


def _days_since_sync(facts: dict[str, Any]) -> int:
    return (datetime.now(UTC) - max(facts["read_at"].values(), default=datetime.now(UTC))).days


def _print_warnings(warnings: list[dict[str, Any]]) -> None:
    for row in warnings:
        found = "1 row" if row["offending"] == 1 else f"{row['offending']:,} rows"
        echo(
            f'Check {row["check_name"]}: {found}, such as {in_short(row["example"])} (propsync query "from ops.checks")'
        )


def _print_documents(facts: dict[str, Any]) -> None:
    """Prints how many documents exist, how many are lacking and why; nothing if propsync never asked for any."""
    if not facts["stored"] and not facts["lost"] and not facts["lacking"]:
        return
    lost = f", {facts['lost']:,} lost (see documents.last_error)" if facts["lost"] else ""
    files = "file" if facts["gone"] == 1 else "files"
    gone = f", {facts['gone']:,} {files} missing in archive/" if facts["gone"] else ""
    lacking = "; ".join(f"{count:,} {reason}" for reason, count in facts["lacking"].items())
    echo(
        f"{'documents':<17}{facts['stored']:>9,} kept{lost}{gone}  {size_in_words(facts['bytes'])} with "
        f"{facts['later_versions']:,} later versions; "
        f"{'lacking: ' + lacking + ' (marts.document_coverage)' if lacking else 'none is lacking'}"
    )


def _print_hints(facts: dict[str, Any] | None, unread: int) -> None:
    if facts is None and not unread:
        return
    facts = facts or {"waiting": 0, "night_at": None}
    posts = f"; posts that no run has taken in yet: {unread:,}" if unread else ""
    night = ""
    if facts["night_at"]:
        found = f"brought {facts['changes_by_hint']:,} changes, and the sync found {facts['changes_by_night']:,} more"
        night = f"; until {in_words(facts['night_at'])}, hints {found} (marts.hint_coverage)"
    echo(f"{'hints':<17}{facts['waiting']:>9,} waiting{posts}{night}")


def _resource_line(row: dict[str, Any], rows: int) -> str:
    name = row["resource"].replace("_", " ")
    is_of_part = not row["is_of_sync"] and row["verdict"] != "failed"
    read = _PART if is_of_part else _verdict_at(row["verdict"], in_words(row["read_at"]))
    line = f"{name:<17}{rows:>9,} rows  {read}"
    held = f"; held, as the API no longer lists them: {row['held']:,}" if row["held"] else ""
    rejected = f"; {row['rejected']} could not be read (ops.rejected_records)" if row["rejected"] else ""
    return f"{line}{held}{rejected}"


def _verdict_at(verdict: str, time: str) -> str:
    return _WORDS.get(verdict, f"{verdict} at {{}}").format(time)


def has_failed(trouble: str | None) -> bool:
    """Whether the line about the last run says that it failed."""
    return " failed: " in (trouble or "")


def in_words(moment: datetime) -> str:
    """A time to the minute."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
