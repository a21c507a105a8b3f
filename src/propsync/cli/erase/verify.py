"""What `propsync erase --verify` takes and prints."""

from __future__ import annotations

import json
import sys

import typer

from propsync.errors import UsageError
from propsync.settings import Settings

_MOST = 200  # lines for people; --json has all


def words_of(asset: str | None, assessment: str | None, field: str | None, text: str | None) -> str:
    """What to look for. Raises UsageError unless one option says it."""
    given = [one for one in (asset, assessment, field, text) if one]
    if len(given) != 1:
        what = "it looks for one thing at a time" if given else "nothing says what to look for"
        step = "Name one of --asset, --assessment, --field or --text. A field of one asset: give its value as --text"
        raise UsageError("erase --verify", what, step)
    return given[0]


def typed_text() -> str:
    """A text from a prompt that shows nothing, or from standard input, so that no shell keeps it in its history.

    Raises UsageError if standard input is empty.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        return str(typer.prompt("Text", hide_input=True, err=True))
    text = "" if sys.stdin is None else sys.stdin.read().strip()
    if not text:
        step = "Give the text there, as in --text - < text.txt"
        raise UsageError("erase --text -", "standard input is empty", step)
    return text


def run_verify(settings: Settings, words: str, *, as_json: bool) -> int:
    """Looks, and prints what has a trace, what could not be read and what lies beyond; returns the exit code."""
    from propsync.cli.terminal.tables import echo
    from propsync.runbooks.erasure.verify import verify_erased

    verified = verify_erased(settings, words)
    if as_json:
        echo(json.dumps(verified.to_json()))
        return verified.exit_code
    found = verified.findings
    for title, places in (("Trace", found.traces), ("Not read", found.unread), ("Read as raw bytes", found.raw_only)):
        for place in places[:_MOST]:
            echo(f"{title}: {place}")
        if len(places) > _MOST:
            echo(f"{title}: {len(places) - _MOST:,} more; --json lists all")
    for one in verified.beyond:
        echo(f"Beyond propsync's reach: {one.what}" + (f"; {one.until}" if one.until else ""))
    echo(f"Searched {found.files:,} files, {found.size_bytes / 1e6:,.1f} MB. {_VERDICTS[found.verdict]}")
    return verified.exit_code


_VERDICTS = {
    "clean": "No trace. Next: propsync status",
    "found": "It is still there. Next: propsync erase --dry-run, with the same option",
    "not shown": "No trace in what could be read. Repair or remove the files that were not read, then look again",
}
