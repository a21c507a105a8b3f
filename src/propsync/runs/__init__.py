"""One run: its id and time, the lock, the verdicts and the journal."""

from propsync.runs.journal import Journal, ResourceCounts
from propsync.runs.lock import INTERRUPTED, RUN_LOCK, Note, RunLock, take_lock
from propsync.runs.recovery import has_failed, mark_all, note_landed
from propsync.runs.run import Run, Verdict, exit_code, is_run_id, next_run, run_status, time_of

__all__ = [
    "INTERRUPTED",
    "RUN_LOCK",
    "Journal",
    "Note",
    "ResourceCounts",
    "Run",
    "RunLock",
    "Verdict",
    "exit_code",
    "has_failed",
    "is_run_id",
    "mark_all",
    "next_run",
    "note_landed",
    "run_status",
    "take_lock",
    "time_of",
]
