"""Wrong usage in one line: typer takes four, partly in words of pydantic."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from propsync.errors import UsageError

if TYPE_CHECKING:
    from typer.exceptions import TyperException

_INVALID = re.compile(r"Invalid value for (?P<where>.+?): (?P<what>.*)", re.DOTALL)


def in_one_line(error: TyperException) -> UsageError:
    """The error of typer as one of ours: the option or the command, its fault, and the command that shows the help."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "propsync"
    said = error.format_message()
    invalid = _INVALID.fullmatch(said)
    own = command.removeprefix("propsync").strip() or "command line"
    where, what = (invalid["where"].replace("'", ""), invalid["what"]) if invalid else (own, said)
    return UsageError(where, _plain(error, what), f"Run `{command} --help`")


def _plain(error: TyperException, said: str) -> str:
    """The fault without pydantic's words."""
    from pydantic import ValidationError  # only a mistake needs it

    from propsync.settings.messages import reason

    cause = error.__cause__ or error.__context__
    what = said
    if isinstance(cause, ValidationError):
        words = reason(cause)
        what = f"{cause.errors()[0]['input']!r} cannot be used: {words}" if words.startswith("it is") else words
    return what[:1].lower() + what[1:]
