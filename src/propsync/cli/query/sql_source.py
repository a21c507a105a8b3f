"""The source of SQL for `propsync query`: the command line, a file, or standard input."""

from __future__ import annotations

import codecs
import re
import sys
from pathlib import Path
from typing import Any

from typer import _click as typer_click
from typer.core import TyperCommand

from propsync.errors import UsageError

_OPTION = re.compile(r"--[a-z][a-z-]*(=|\Z)", re.IGNORECASE)
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class SqlCommand(TyperCommand):
    """A command whose argument may begin with `--`, as a comment of SQL does."""

    def parse_args(self, ctx: typer_click.Context, args: list[str]) -> list[str]:
        """Puts such an argument behind the options, so that nothing reads it as one.

        Raises UsageError for SQL in several words: a shell divides it without quotation marks, and takes `*` for files.
        """
        left = super().parse_args(ctx, _sql_last(self.params, args))
        if left:
            what = f"it takes the SQL as one text, and {len(left) + 1:,} words came"
            raise UsageError("query", what, """Put quotation marks around all of it: propsync query "SELECT …\"""")
        return left


def _sql_last(params: Any, args: list[str]) -> list[str]:
    with_value = {name for option in params if not getattr(option, "is_flag", False) for name in option.opts}
    for place, word in enumerate(args):
        if word == "--":
            break
        is_value = place > 0 and args[place - 1] in with_value
        if word.startswith("--") and ("\n" in word or not _OPTION.match(word)) and not is_value:
            return [*args[:place], *args[place + 1 :], "--", word]
    return args


def sql_text(argument: str | None, file: Path | None, *, may_be_piped: bool) -> str | None:
    """The given SQL, None without any; `-` is standard input. Raises UsageError if propsync cannot read it."""
    if argument is not None and argument != "-":
        return _as_unicode(argument)
    if file is not None and str(file) != "-":
        return _decoded(_bytes_of(file), str(file))
    if sys.stdin is None:
        is_asked = argument is not None or file is not None
        if is_asked:
            raise UsageError("standard input", "it is closed", "Give the SQL, or --file FILE")
        return None
    if argument is None and file is None and (not may_be_piped or sys.stdin.isatty()):
        return None
    return _decoded(_standard_input(), "standard input") or None


def _as_unicode(argument: str) -> str:
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise UsageError("query", "the SQL is not UTF-8 text", "Write it to a file in UTF-8 and give --file") from None
    return argument


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(
            f"--file {file}", f"it cannot be read: {error.strerror}", "Check its path and permissions"
        ) from None


def _standard_input() -> bytes:
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError("standard input", f"it cannot be read: {error.strerror}", "Give the SQL, or --file") from None


def _decoded(raw: bytes, where: str) -> str:
    encoding = next((encoding for mark, encoding in _MARKS.items() if raw.startswith(mark)), "utf-8")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        raise UsageError(where, "it is not UTF-8 text", "Save it as UTF-8") from None
