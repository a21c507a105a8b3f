"""Turns DuckDB's complaints about a user's SQL into errors that say what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from propsync.errors import QueryWrong
from propsync.warehouse.database_errors import NO_MEMORY, RAISE_LIMITS, READING, interruptible

_MOST = 5
_EXCERPT = re.compile(r"\n+(LINE \d+: .*\n *\^[\^~]*) *", re.DOTALL)
_SIGNATURES = re.compile(r"\s*(Candidate (?:functions|macros)):\n((?:\t.*\n?)+)")
_NAMES = re.compile(r'("[^"\n]+"(?:,? or |, ))+"[^"\n]+"')
_STREAMED = re.compile(r"^.*(get_next failed\(\): |reading the stream [^\n]* failed: (IOError: )?)", re.DOTALL)
_LINE = re.compile(r"LINE (\d+)(: .*\n)", re.DOTALL)
_ADVICE = (
    *READING,
    (r"Table with name|schema .* does not exist", "Run `propsync query --tables` to see the tables"),
    (r"olumn .*(not found|not exist)|not have a column", "Run `propsync query --describe TABLE` to see its columns"),
    (r"read-only", "The published tables are read-only: keep rows of your own in a temp table"),
    (r"file system operations are disabled|Loading external", "A query reads published tables and nothing else"),
    (r"configuration has been locked", "Leave it as it is; PROPSYNC_TIME_ZONE and PROPSYNC_MEMORY_LIMIT are settings"),
    (
        r"Could not read enough bytes|Corrupt database file|^Corrupted |to be corrupted|INTERNAL Error|FATAL Error",
        "If the published file is damaged, `propsync sync` writes it again",
    ),
    (NO_MEMORY, RAISE_LIMITS),
    (r"Out of Memory", "Raise PROPSYNC_MEMORY_LIMIT, or ask for less at once"),
    (
        r"No space left|max_temp_directory_size",
        "Free some space for temporary files, or set TMPDIR to a folder that has some",
    ),
)


@contextmanager
def explained(lines_above: int = 0) -> Iterator[None]:
    """Raises QueryWrong for DuckDB's errors on SQL below that many lines; Ctrl-C remains Ctrl-C."""
    try:
        with interruptible():
            yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        raise complaint(str(error), lines_above) from error


def complaint(words: str, lines_above: int = 0) -> QueryWrong:
    """The error for DuckDB's words: at most five suggestions, and the line and the caret as DuckDB draws them."""
    words = _STREAMED.sub("", words).split("\n\nStack Trace")[0]
    excerpt = _EXCERPT.search(words)
    said = _EXCERPT.sub("", words).split("\n\nPossible solutions")[0]
    said = _SIGNATURES.sub(_fewer_signatures, said)
    said = _NAMES.sub(_fewer_names, said)
    advice = next((advice for pattern, advice in _ADVICE if re.search(pattern, said)), None)
    return QueryWrong("query", said, advice, excerpt=_moved(excerpt[1], lines_above) if excerpt else "")


def _moved(excerpt: str, lines: int) -> str:
    """The same with the line's number in the whole text, the caret still below its place."""
    found = _LINE.match(excerpt)
    if found is None:
        return excerpt
    number = str(int(found[1]) + lines)
    return f"LINE {number}{found[2]}{' ' * (len(number) - len(found[1]))}{excerpt[found.end() :]}"


def _fewer_signatures(found: re.Match[str]) -> str:
    signatures = [line.strip() for line in found[2].splitlines() if line.strip()]
    return f" {found[1]}: {'; '.join(signatures[:_MOST])}{_and_more(len(signatures))}"


def _fewer_names(found: re.Match[str]) -> str:
    """Shortens a list of suggestions; leaves other messages as they are."""
    names = re.findall(r'"[^"\n]+"', found[0])
    return f"{', '.join(names[:_MOST])}{_and_more(len(names))}"


def _and_more(count: int) -> str:
    return f" and {count - _MOST} more" if count > _MOST else ""
