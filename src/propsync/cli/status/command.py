"""`propsync status`: how fresh and how complete the published copy is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from msgspec import structs

from propsync.cli.erase.count import erasures_of
from propsync.cli.push.unfinished import unfinished_plans
from propsync.cli.status.damage import find_damage
from propsync.cli.status.words import has_failed, in_words, print_facts
from propsync.cli.terminal.tables import echo
from propsync.documents.lost_files import LOST
from propsync.errors import HomeUnusable, UsageError
from propsync.publish import read_note
from propsync.resources import BUILT_IN
from propsync.runbooks.usable_state import why_unusable
from propsync.runs import INTERRUPTED, RUN_LOCK, Note, RunLock
from propsync.settings import Settings
from propsync.storage import LocalStorage, disk_use, files_below, may_list, mode_of
from propsync.storage.places import DOCUMENTS
from propsync.warehouse import PublishedReader, open_published, statement, text
from propsync.webhook.inbox import FOLDER as HINTS
from propsync.webhook.inbox import Inbox

_T = TypeVar("_T")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_LONGEST = timedelta(days=36_500)  # a century; the calendar begins 2,000 years ago
_CLOCKS_DIFFER = timedelta(minutes=5)  # between two machines of one bucket
_STATUSES = ("ok", "attention", "killed", "failed")  # from good to bad
_PUBLISHING = ("propsync nightly", "propsync backfill")  # without a publication they failed; others may have no news
_TYPED = ("propsync erase", "propsync push apply", "propsync storage move")  # a person has read why propsync refused


def print_status(settings: Settings, max_age: str | None, *, as_json: bool) -> int:
    """Prints the status; returns 3 if the published copy is older than `max_age` (26h, 90m, 2d), else 0.

    It is as old as its oldest resource. A copy from the future has no age that anybody could trust, so it counts as
    older. So does one of parts alone.
    """
    allowed = _span(max_age) if max_age is not None else None
    path = settings.published / "warehouse.duckdb"
    if not mode_of(path):
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
        print_facts(facts, max_age)
    return 0 if is_fresh else 3


def _print_nothing(settings: Settings, *, as_json: bool, is_wanted: bool) -> int:
    trouble = _trouble(RunLock(settings.state / RUN_LOCK), None)
    if as_json:
        echo(json.dumps({"published_at": None, "trouble": trouble, "is_fresh": False}))
    else:
        next_step = "doctor, then propsync sync" if has_failed(trouble) else "sync"
        next_step = "rebuild" if _has_only_landed(settings) else next_step
        reason = f"{trouble}. " if trouble else ""
        why = "" if "home" in settings.explicit else " (PROPSYNC_HOME is not set)"
        echo(f"Nothing is published in {settings.published}{why}. {reason}Next: propsync {next_step}")
    return 3 if is_wanted else 0


def _trouble(lock: RunLock, published_at: datetime | None, started_at: datetime | None = None) -> str | None:
    """Events after the last publication that the published copy cannot show: a failed or killed run.

    Such a run of the tables counts until one publishes, whatever other command was at work since. So does one that
    failed after it published here: the bucket has not taken all of its work. `published_at` is the true time of the
    published run, and `started_at` is its start, for which a clock may have been ahead.
    """
    notes = lock.notes()
    if not notes or lock.is_held():
        return None
    found = [
        _trouble_in(who, started_at if _was_set_back(who) else published_at)
        for who in _dated(notes)
        if who.what in {notes[0].what, *_PUBLISHING}
    ]
    return next((one for one in found if one), None)


def _dated(notes: list[Note]) -> Iterator[Note]:
    """The notes, newest first. Each ended before the next one began, whatever a clock that was ahead wrote there."""
    following = datetime.max.replace(tzinfo=UTC)
    for who in notes:
        since = min(who.since, following)
        yield structs.replace(who, since=since, ended=who.ended and min(who.ended, following))
        following = since


def _was_set_back(who: Note) -> bool:
    """Whether somebody set the clock back while it was at work, so that it ended before it began."""
    return who.error is None and who.ended is not None and who.ended < who.since


def _trouble_in(who: Note, published_at: datetime | None) -> str | None:
    if published_at is not None and who.since <= published_at:
        has_failed_since = who.error and who.ended and who.ended > published_at
        if not has_failed_since:
            return None
    if who.is_refused and who.what.startswith(_TYPED):
        return None
    run = f"The run of {in_words(who.since)}"
    if who.error == INTERRUPTED:
        return f"{run} was interrupted"
    if who.error:
        return f"{run} failed: {who.error}"
    if not who.ended:
        return f"{run} was killed"
    if who.what not in _PUBLISHING:
        return None
    if published_at is None:
        return f"{run} published nothing, because nothing could be read, or somebody has removed the files since"
    return f"{run} failed: nothing could be read, or somebody has put back older published files since"


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
        span = timedelta(**{_UNITS[found[2]]: int(found[1])})
    except (OverflowError, ValueError):  # more digits than a time, or even a number, may have
        span = timedelta.max
    if span > _LONGEST:
        raise UsageError("--max-age", "it is too long", "Write 26h, 90m or 2d")
    return span


def _facts(reader: PublishedReader, settings: Settings) -> dict[str, Any]:
    runs = _dicts(reader, _asked("runs"))
    lock = RunLock(settings.state / RUN_LOCK)
    began, read_at = _began(runs[0]), dict[str, datetime](reader.rows(_asked("read_at"))[1])
    unreadable: list[str] = []
    return {
        "published_at": next(iter(read_at.values()), began),
        "was_synced": bool(read_at),
        "read_at": read_at,
        **_verdict(reader),
        "running": lock.holder() if lock.is_held() else None,
        "trouble": _trouble(lock, began, runs[0]["started_at"]),
        **_unusable_state(settings, is_held=lock.is_held()),
        "unfinished_plans": unfinished_plans(settings),
        "runs": runs,
        "resources": _dicts(reader, _asked("resources")),
        "held_deletes": _dicts(reader, _asked("held_deletes")),
        "newly_volatile": _dicts(reader, _asked("newly_volatile")),
        "warnings": _dicts(reader, _asked("warnings")),
        "documents": _documents(reader, settings, unreadable, is_held=lock.is_held()),
        "tables": dict(reader.rows(_asked("row_counts"))[1]),
        # a run adds and removes files meanwhile
        "landing": None if lock.is_held() else _permitted(lambda: find_damage(reader, settings), unreadable),
        "hints": _hints(reader),
        "bucket": settings.storage_url,
        **_posts(settings),
        "erasures": erasures_of(reader, settings),
        "delta": {name: table["version"] for name, table in read_note(settings.published).get("delta", {}).items()},
        "disk_bytes": _disk_use(settings, unreadable),
        "unreadable": unreadable,
    }


def _permitted(look: Callable[[], _T], unreadable: list[str]) -> _T | None:
    """The result of a look; None, and a line in `unreadable`, if it meets a folder that this user may not list.

    Perhaps another user ran propsync: the published tables are as fresh as before.
    """
    try:
        return look()
    except (HomeUnusable, PermissionError) as error:
        cause = error.__cause__ if isinstance(error, HomeUnusable) else error
        if not isinstance(cause, PermissionError):
            raise
        unreadable.append(f"{cause.filename}: {cause.strerror}")
        return None


def _documents(reader: PublishedReader, settings: Settings, unreadable: list[str], *, is_held: bool) -> dict[str, Any]:
    """The numbers of documents; `gone` of their files are missing here, None if nobody can say."""
    (found,) = _dicts(reader, _asked("documents", lost=text(LOST)))
    named, here, folder = found.pop("files"), None, settings.home / DOCUMENTS
    if not is_held and not settings.storage_url and may_list(folder.parent):
        here = _permitted(lambda: sum(1 for _ in files_below(folder)), unreadable)
    gone = None if here is None else max(0, named - here)
    return found | {"gone": gone, "lacking": dict(reader.rows(_asked("lacking"))[1])}


def _old(read_at: dict[str, datetime], settings: Settings, since: datetime) -> list[str]:
    """The resources that no sync has read after `since`: `propsync sync --only` leaves the others as they are."""
    wanted = [*BUILT_IN.names, *settings.resources]
    return [name for name in wanted if name in read_at and read_at[name] < since]


def _began(run: dict[str, Any]) -> datetime:
    """When a run began; if a clock was ahead before, its start is later than its end, which has the true time."""
    began: datetime = run["started_at"]
    return min(began, run["ended_at"] or began)


def _unusable_state(settings: Settings, *, is_held: bool) -> dict[str, str | None]:
    """Why a run would refuse the state database, and the step against that; None if the caller may not look there."""
    may_look = may_list(settings.state) or not settings.state.exists()
    why = why_unusable(settings) if may_look and not is_held else None
    return {"unusable_state": why.what if why else None, "unusable_state_step": why.next_step if why else None}


def _hints(reader: PublishedReader) -> dict[str, Any] | None:
    """The waiting hints, and what the last night found beside them; None if there was never one."""
    if not reader.rows(_asked("has_hints"))[1][0][0]:  # an earlier version of propsync published it
        return None
    (found,) = _dicts(reader, _asked("hints"))
    return found if found["received"] or found["night_at"] else None


def _posts(settings: Settings) -> dict[str, Any]:
    """The accepted posts that no run has taken in, and damaged files of them; none if the caller may not look there."""
    if not may_list(settings.home / HINTS):
        return {"unread_posts": 0, "damaged_hints": []}
    inbox = Inbox(LocalStorage(settings.home))
    return {"unread_posts": inbox.count(), "damaged_hints": inbox.damaged()}


def _verdict(reader: PublishedReader) -> dict[str, Any]:
    """The verdict of the last sync, or the worst since then; the last run on documents speaks for those before it."""
    judged = _dicts(reader, _asked("judged_runs"))
    worst = max(judged, key=lambda run: _STATUSES.index(run["status"]))
    errors = [run["error"] for run in judged if run["error"]]
    return {name: worst[name] for name in ("run_id", "flow", "status")} | {"left_behind": list(dict.fromkeys(errors))}


def _disk_use(settings: Settings, unreadable: list[str]) -> dict[str, int]:
    """Bytes in each folder under home that exists and that the caller may read."""
    folders = [settings.home / name for name in ("published", "state", "landing", "archive")]
    mine = [folder for folder in folders if may_list(folder)]
    used = {folder.name: _permitted(partial(disk_use, folder), unreadable) for folder in mine}
    return {name: size for name, size in used.items() if size is not None}


def _asked(name: str, **fragments: str) -> str:
    return statement(f"cli/status/{name}", **fragments)


def _dicts(reader: PublishedReader, sql: str) -> list[dict[str, Any]]:
    columns, rows = reader.rows(sql)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
