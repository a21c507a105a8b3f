"""`propsync status`: how fresh and how complete the published copy is."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from propsync.cli.damage import find_damage, print_damage
from propsync.cli.text_tables import echo
from propsync.documents.lost_files import LOST
from propsync.errors import UsageError
from propsync.runs import RunLock
from propsync.settings import Settings
from propsync.storage import disk_use
from propsync.warehouse import PublishedReader, open_published, statement, text

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_STATUSES = ("ok", "attention", "killed", "failed")  # from good to bad
_PUBLISHING = ("propsync nightly", "propsync backfill")  # without a publication they failed; others may have no news
_WORDS = {
    "certified": "read completely",
    "agreed": "read completely, though the API's total is off",
    "incomplete": "read in part: the list moved or its total is wrong",
    "failed": "could not be read, older rows stay",
}


def print_status(settings: Settings, max_age: str | None, *, as_json: bool) -> int:
    """Prints the status; returns 3 if the published copy is older than `max_age` (26h, 90m, 2d), else 0."""
    allowed = _span(max_age) if max_age is not None else None
    path = settings.published / "warehouse.duckdb"
    if not path.is_file():
        return _print_nothing(settings, as_json=as_json, is_wanted=allowed is not None)
    with open_published(path) as reader:
        told = _told(reader, settings)
    is_fresh = allowed is None or datetime.now(UTC) - told["published_at"] <= allowed
    told["is_fresh"] = is_fresh
    if as_json:
        echo(json.dumps(told, default=_plain))
    else:
        _print(told, max_age)
    return 0 if is_fresh else 3


def _print_nothing(settings: Settings, *, as_json: bool, is_wanted: bool) -> int:
    trouble = _trouble(RunLock(settings.state / "run.lock"), None)
    if as_json:
        echo(json.dumps({"published_at": None, "trouble": trouble, "is_fresh": False}))
    else:
        echo(
            f"Nothing is published in {settings.published} yet. {trouble + '. ' if trouble else ''}Next: propsync sync"
        )
    return 3 if is_wanted else 0


def _trouble(lock: RunLock, published_at: datetime | None) -> str | None:
    """Events after the last publication that the published copy cannot show: a failed or killed run."""
    who = lock.told()
    if not who or lock.is_held() or (published_at is not None and datetime.fromisoformat(who["since"]) <= published_at):
        return None
    run = f"The run of {_time(datetime.fromisoformat(who['since']))}"
    if who.get("error"):
        return f"{run} failed: {who['error']}"
    if not who.get("ended"):
        return f"{run} was killed"
    return f"{run} failed: nothing could be read" if who["what"] in _PUBLISHING else None


def _span(words: str) -> timedelta:
    found = re.fullmatch(r"(\d+)([mhd])", words.strip())
    if not found:
        raise UsageError("--max-age", f"{words!r} is no time span", "Write 26h, 90m or 2d")
    try:
        return timedelta(**{_UNITS[found[2]]: int(found[1])})
    except (OverflowError, ValueError):  # more digits than a time, or even a number, may have
        raise UsageError("--max-age", "it is longer than time is counted", "Write 26h, 90m or 2d") from None


def _told(reader: PublishedReader, settings: Settings) -> dict[str, Any]:
    runs = _dicts(reader, _asked("runs"))
    lock = RunLock(settings.state / "run.lock")
    return {
        "published_at": _read_at(reader) or runs[0]["started_at"],
        **_verdict(reader),
        "running": lock.holder() if lock.is_held() else None,
        "trouble": _trouble(lock, runs[0]["started_at"]),
        "runs": runs,
        "resources": _dicts(reader, _asked("resources")),
        "held_deletes": _dicts(reader, _asked("held_deletes")),
        "newly_volatile": _dicts(reader, _asked("newly_volatile")),
        "documents": _dicts(reader, _asked("documents", lost=text(LOST)))[0]
        | {"lacking": dict(reader.rows(_asked("lacking"))[1])},
        "tables": dict(reader.rows(_asked("row_counts"))[1]),
        "landing": None if lock.is_held() else find_damage(reader, settings),  # a run adds and removes files meanwhile
        "disk_bytes": _disk_use(settings),
    }


def _verdict(reader: PublishedReader) -> dict[str, Any]:
    """The verdict of the last sync, or the worst since then; the last run on documents speaks for those before it."""
    judged = _dicts(reader, _asked("judged_runs"))
    worst = max(judged, key=lambda run: _STATUSES.index(run["status"]))
    errors = [run["error"] for run in judged if run["error"]]
    return {"run_id": worst["run_id"], "status": worst["status"], "left_behind": list(dict.fromkeys(errors))}


def _read_at(reader: PublishedReader) -> datetime | None:
    """When propsync last read the whole API: a rebuild or a backfill makes nothing else fresher."""
    found: datetime | None = reader.rows(_asked("read_at"))[1][0][0]
    return found


def _disk_use(settings: Settings) -> dict[str, int]:
    """Bytes in each folder under home that exists and that the caller may read."""
    folders = [settings.home / name for name in ("published", "state", "landing", "archive")]
    return {folder.name: disk_use(folder) for folder in folders if os.access(folder, os.R_OK | os.X_OK)}


def _asked(name: str, **fragments: str) -> str:
    return statement(f"cli/status/{name}", **fragments)


def _dicts(reader: PublishedReader, sql: str) -> list[dict[str, Any]]:
    columns, rows = reader.rows(sql)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _print(told: dict[str, Any], max_age: str | None) -> None:
    echo(f"Published: as of {_time(told['published_at'])}, run {told['run_id']}, {told['status']}")
    if told["running"]:
        echo(f"At work now: {told['running']}")
    if told["trouble"]:
        echo(told["trouble"])
    for line in told["left_behind"]:
        echo(f"Left behind: {line}")
    echo()
    for row in told["resources"]:
        echo(_resource_line(row, told["tables"].get(row["resource"], 0)))
    for row in told["held_deletes"]:
        echo(f"Held: {row['records']} {row['resource'].replace('_', ' ')}, {row['reason']} (run {row['run_id']})")
    for row in told["newly_volatile"]:
        name = row["resource"].replace("_", " ")
        echo(f"Volatile since run {row['run_id']}: {row['members']} of {name}; differences there are no changes")
    _print_documents(told["documents"])
    print_damage(told["landing"])
    echo(f"\nOn disk: {', '.join(f'{name} {_size(used)}' for name, used in told['disk_bytes'].items())}")
    echo(f"\n{_next(told, max_age)}")


def _next(told: dict[str, Any], max_age: str | None) -> str:
    if not told["is_fresh"]:
        return f"Older than {max_age}: a night did not run. Next: propsync sync"
    if told["held_deletes"]:
        held_by = told["held_deletes"][-1]["run_id"]
        return f"Next: look at ops.held_deletes, then propsync sync --accept-deletes {held_by}"
    if told["status"] != "ok" or told["trouble"]:
        return "Next: propsync sync"
    if told["landing"] and told["landing"]["damaged"]:
        return "Next: restore the damaged files from a backup; without them a rebuild loses what they held"
    return "Next: propsync archive verify" if told["documents"]["lost"] else "Next: propsync query --tables"


def _print_documents(told: dict[str, Any]) -> None:
    """Prints how many documents exist, how many are lacking and why; nothing if propsync never asked for any."""
    if not told["stored"] and not told["lost"] and not told["lacking"]:
        return
    lost = f", {told['lost']:,} lost (see documents.last_error)" if told["lost"] else ""
    lacking = "; ".join(f"{count:,} {reason}" for reason, count in told["lacking"].items())
    echo(
        f"{'documents':<17}{told['stored']:>9,} kept{lost}  {_size(told['bytes'])} with {told['later_versions']:,} "
        f"later versions; {'lacking: ' + lacking + ' (marts.document_coverage)' if lacking else 'none is lacking'}"
    )


def _resource_line(row: dict[str, Any], rows: int) -> str:
    name = row["resource"].replace("_", " ")
    line = f"{name:<17}{rows:>9,} rows  {_WORDS.get(row['verdict'], row['verdict'])} at {_time(row['read_at'])}"
    held = f"; {row['held']} that the API lists no more are held" if row["held"] else ""
    rejected = f"; {row['rejected']} could not be read (ops.rejected_records)" if row["rejected"] else ""
    return f"{line}{held}{rejected}{': ' + row['error'] if row['error'] else ''}"


def _size(used: int) -> str:
    return f"{used / 1e9:,.1f} GB" if used >= 1e9 else f"{used / 1e6:,.1f} MB"


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
