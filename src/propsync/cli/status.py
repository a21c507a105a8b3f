"""`propsync status`: how fresh and how complete the published copy is."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from propsync.cli.damage import find_damage, print_damage
from propsync.cli.erasure_count import erasures_of, print_erasures
from propsync.cli.text_tables import echo
from propsync.cli.unfinished_plans import print_unfinished, unfinished_plans
from propsync.documents.lost_files import LOST
from propsync.errors import UsageError
from propsync.progress import size_in_words
from propsync.publish import read_note
from propsync.resources import BUILT_IN
from propsync.runbooks.usable_state import why_unusable
from propsync.runs import INTERRUPTED, RunLock
from propsync.settings import Settings
from propsync.storage import LocalStorage, disk_use
from propsync.warehouse import PublishedReader, open_published, statement, text
from propsync.webhook.inbox import FOLDER as HINTS
from propsync.webhook.inbox import Inbox

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_CLOCKS_DIFFER = timedelta(minutes=5)  # between two machines of one bucket
_STATUSES = ("ok", "attention", "killed", "failed")  # from good to bad
_PUBLISHING = ("propsync nightly", "propsync backfill")  # without a publication they failed; others may have no news
_WORDS = {
    "certified": "read completely at {}",
    "agreed": "read completely at {}, though the API's total is wrong",
    "incomplete": "read in part at {}: the list changed meanwhile, or its total or a filter is wrong",
    "failed": "could not be read at {}; its older rows stay",
}

_PART = "no sync has read them yet, only a run that reads a part"


def print_status(settings: Settings, max_age: str | None, *, as_json: bool) -> int:
    """Prints the status; returns 3 if the published copy is older than `max_age` (26h, 90m, 2d), else 0.

    It is as old as its oldest resource. A copy from the future has no age that anybody could trust, so it counts as
    older. So does one of parts alone.
    """
    allowed = _span(max_age) if max_age is not None else None
    path = settings.published / "warehouse.duckdb"
    if not path.exists():
        return _print_nothing(settings, as_json=as_json, is_wanted=allowed is not None)
    with open_published(path) as reader:
        facts = _facts(reader, settings)
    now = datetime.now(UTC)
    facts["is_ahead"] = now - facts["published_at"] < -_CLOCKS_DIFFER
    is_trusted = facts["was_synced"] and not facts["is_ahead"]
    facts["old"] = [] if allowed is None else _old(facts["read_at"], settings, now - allowed)
    facts["is_fresh"] = is_fresh = allowed is None or (is_trusted and not facts["old"])
    if as_json:
        echo(json.dumps(facts, default=_plain))
    else:
        _print(facts, max_age)
    return 0 if is_fresh else 3


def _print_nothing(settings: Settings, *, as_json: bool, is_wanted: bool) -> int:
    trouble = _trouble(RunLock(settings.state / "run.lock"), None)
    if as_json:
        echo(json.dumps({"published_at": None, "trouble": trouble, "is_fresh": False}))
    else:
        next_step = "rebuild" if _has_only_landed(settings) else "sync"
        told = f"{trouble}. " if trouble else ""
        why = "" if "home" in settings.explicit else " (PROPSYNC_HOME is not set)"
        echo(f"Nothing is published in {settings.published}{why}. {told}Next: propsync {next_step}")
    return 3 if is_wanted else 0


def _trouble(lock: RunLock, published_at: datetime | None) -> str | None:
    """Events after the last publication that the published copy cannot show: a failed or killed run."""
    who = lock.owner()
    if not who or lock.is_held() or (published_at is not None and datetime.fromisoformat(who["since"]) <= published_at):
        return None
    run = f"The run of {_time(datetime.fromisoformat(who['since']))}"
    if who.get("error") == INTERRUPTED:
        return f"{run} was interrupted"
    if who.get("error"):
        return f"{run} failed: {who['error']}"
    if not who.get("ended"):
        return f"{run} was killed"
    if who["what"] not in _PUBLISHING:
        return None
    if published_at is None:
        return f"{run} published nothing, because nothing could be read, or somebody has removed the files since"
    return f"{run} failed: nothing could be read"


def _has_only_landed(settings: Settings) -> bool:
    """Whether landing alone can make the tables again: a sync refuses to begin. False if the caller may not look."""
    try:
        has_state = (settings.state / "warehouse.duckdb").exists()
        return not has_state and settings.landing.is_dir() and any(settings.landing.iterdir())
    except PermissionError:
        return False


def _span(words: str) -> timedelta:
    found = re.fullmatch(r"(\d+)([mhd])", words.strip())
    if not found:
        raise UsageError("--max-age", f"{words!r} is not a time span", "Write 26h, 90m or 2d")
    try:
        return timedelta(**{_UNITS[found[2]]: int(found[1])})
    except (OverflowError, ValueError):  # more digits than a time, or even a number, may have
        raise UsageError("--max-age", "it is too long", "Write 26h, 90m or 2d") from None


def _facts(reader: PublishedReader, settings: Settings) -> dict[str, Any]:
    runs = _dicts(reader, _asked("runs"))
    lock = RunLock(settings.state / "run.lock")
    began, read_at = _began(runs[0]), dict[str, datetime](reader.rows(_asked("read_at"))[1])
    return {
        "published_at": next(iter(read_at.values()), began),
        "was_synced": bool(read_at),
        "read_at": read_at,
        **_verdict(reader),
        "running": lock.holder() if lock.is_held() else None,
        "trouble": _trouble(lock, began),
        "unusable_state": None if lock.is_held() else _unusable_state(settings),
        "unfinished_plans": unfinished_plans(settings),
        "runs": runs,
        "resources": _dicts(reader, _asked("resources")),
        "held_deletes": _dicts(reader, _asked("held_deletes")),
        "newly_volatile": _dicts(reader, _asked("newly_volatile")),
        "documents": _dicts(reader, _asked("documents", lost=text(LOST)))[0]
        | {"lacking": dict(reader.rows(_asked("lacking"))[1])},
        "tables": dict(reader.rows(_asked("row_counts"))[1]),
        "landing": None if lock.is_held() else find_damage(reader, settings),  # a run adds and removes files meanwhile
        "hints": _hints(reader),
        "bucket": settings.storage_url,
        **_posts(settings),
        "erasures": erasures_of(reader, settings),
        "delta": {name: table["version"] for name, table in read_note(settings.published).get("delta", {}).items()},
        "disk_bytes": _disk_use(settings),
    }


def _old(read_at: dict[str, datetime], settings: Settings, since: datetime) -> list[str]:
    """The resources that no sync has read after `since`: `propsync sync --only` leaves the others as they are."""
    wanted = [*BUILT_IN.names, *settings.resources]
    return [name for name in wanted if name in read_at and read_at[name] < since]


def _began(run: dict[str, Any]) -> datetime:
    """When a run began; if a clock was ahead before, its start is later than its end, which has the true time."""
    began: datetime = run["started_at"]
    return min(began, run["ended_at"] or began)


def _unusable_state(settings: Settings) -> str | None:
    """The reason why a run would refuse the state database; None if the caller may not look there."""
    may_look = os.access(settings.state, os.R_OK | os.X_OK) or not settings.state.exists()
    return why_unusable(settings) if may_look else None


def _hints(reader: PublishedReader) -> dict[str, Any] | None:
    """The waiting hints, and what the last night found beside them; None if there was never one."""
    if not reader.rows(_asked("has_hints"))[1][0][0]:  # an earlier version of propsync published it
        return None
    (found,) = _dicts(reader, _asked("hints"))
    return found if found["received"] or found["night_at"] else None


def _posts(settings: Settings) -> dict[str, Any]:
    """The accepted posts that no run has taken in, and damaged files of them; none if the caller may not look there."""
    if not os.access(settings.home / HINTS, os.R_OK | os.X_OK):
        return {"unread_posts": 0, "damaged_hints": []}
    inbox = Inbox(LocalStorage(settings.home))
    return {"unread_posts": inbox.count(), "damaged_hints": inbox.damaged()}


def _verdict(reader: PublishedReader) -> dict[str, Any]:
    """The verdict of the last sync, or the worst since then; the last run on documents speaks for those before it."""
    judged = _dicts(reader, _asked("judged_runs"))
    worst = max(judged, key=lambda run: _STATUSES.index(run["status"]))
    errors = [run["error"] for run in judged if run["error"]]
    return {name: worst[name] for name in ("run_id", "flow", "status")} | {"left_behind": list(dict.fromkeys(errors))}


def _disk_use(settings: Settings) -> dict[str, int]:
    """Bytes in each folder under home that exists and that the caller may read."""
    folders = [settings.home / name for name in ("published", "state", "landing", "archive")]
    return {folder.name: disk_use(folder) for folder in folders if os.access(folder, os.R_OK | os.X_OK)}


def _asked(name: str, **fragments: str) -> str:
    return statement(f"cli/status/{name}", **fragments)


def _dicts(reader: PublishedReader, sql: str) -> list[dict[str, Any]]:
    columns, rows = reader.rows(sql)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _print(facts: dict[str, Any], max_age: str | None) -> None:
    echo(f"Published: as of {_time(facts['published_at'])}, run {facts['run_id']}, {facts['status']}")
    if facts["running"]:
        echo(f"At work now: {facts['running']}")
    if facts["trouble"]:
        echo(facts["trouble"])
    if facts["unusable_state"]:
        echo(f"No run can use the state database: {facts['unusable_state']}")
    for line in facts["left_behind"]:
        echo(f"Left behind: {line}")
    print_unfinished(facts["unfinished_plans"])
    echo()
    for row in facts["resources"]:
        echo(_resource_line(row, facts["tables"].get(row["resource"], 0)))
    for row in facts["held_deletes"]:
        echo(f"Held: {row['records']} {row['resource'].replace('_', ' ')}, {row['reason']} (run {row['run_id']})")
    for row in facts["newly_volatile"]:
        name = row["resource"].replace("_", " ")
        echo(
            f"Volatile since run {row['run_id']}: {row['members']} of {name}; differences there do not count as changes"
        )
    _print_documents(facts["documents"])
    print_damage(facts["landing"])
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
        return "Next: propsync rebuild"
    if facts["is_ahead"]:
        return "The tables are of a time to come: correct the clock of this machine. Next: propsync sync"
    if not facts["is_fresh"] and not facts["was_synced"]:
        return "No sync has published yet, only runs that read a part. Next: propsync sync"
    if not facts["is_fresh"]:
        return f"Older than {max_age}: {', '.join(facts['old'])}. A nightly run is missing. Next: propsync sync"
    if facts["held_deletes"]:
        held_by = facts["held_deletes"][-1]["run_id"]
        return f"Next: look at ops.held_deletes, then propsync sync --accept-deletes {held_by}"
    if facts["landing"] and facts["landing"]["damaged"]:
        if facts["bucket"]:
            return "Next: propsync rebuild brings the damaged files home from the bucket"
        return "Next: restore the damaged files from a backup; without them a rebuild loses what they held"
    return _next_after_runs(facts)


def _next_after_runs(facts: dict[str, Any]) -> str:
    if " failed: " in (facts["trouble"] or ""):
        return "Next: propsync doctor, then propsync sync"
    is_whole = facts["status"] == "ok" and not facts["trouble"]
    if facts["status"] != "ok" and facts["flow"] == "push" and not facts["trouble"]:
        return "Next: propsync push history"  # a sync sends nothing again
    if facts["documents"]["lost"]:
        return "Next: propsync archive verify" + ("" if is_whole else ", then propsync sync")
    return "Next: propsync query --tables" if is_whole else "Next: propsync sync"


def _print_documents(facts: dict[str, Any]) -> None:
    """Prints how many documents exist, how many are lacking and why; nothing if propsync never asked for any."""
    if not facts["stored"] and not facts["lost"] and not facts["lacking"]:
        return
    lost = f", {facts['lost']:,} lost (see documents.last_error)" if facts["lost"] else ""
    lacking = "; ".join(f"{count:,} {reason}" for reason, count in facts["lacking"].items())
    echo(
        f"{'documents':<17}{facts['stored']:>9,} kept{lost}  {size_in_words(facts['bytes'])} with "
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
        changes = f"{facts['changes_by_hint']:,} changes came by hint, {facts['changes_by_night']:,} only by the night"
        night = f"; up to {_time(facts['night_at'])}, {changes} (marts.hint_coverage)"
    echo(f"{'hints':<17}{facts['waiting']:>9,} wait{posts}{night}")


def _resource_line(row: dict[str, Any], rows: int) -> str:
    name = row["resource"].replace("_", " ")
    is_of_part = not row["is_of_sync"] and row["verdict"] != "failed"
    read = _PART if is_of_part else _verdict_at(row["verdict"], _time(row["read_at"]))
    line = f"{name:<17}{rows:>9,} rows  {read}"
    held = f"; {row['held']} that the API no longer lists are held" if row["held"] else ""
    rejected = f"; {row['rejected']} could not be read (ops.rejected_records)" if row["rejected"] else ""
    return f"{line}{held}{rejected}{': ' + row['error'] if row['error'] else ''}"


def _verdict_at(verdict: str, time: str) -> str:
    return _WORDS.get(verdict, f"{verdict} at {{}}").format(time)


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
