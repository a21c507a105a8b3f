"""Errors of a request: nothing was done, the exit code is 2."""

from __future__ import annotations

from propsync.errors.base import PropsyncError


class UsageError(PropsyncError):
    """The command or its settings are wrong; propsync did nothing."""

    exit_code = 2
    advice = "Run `propsync --help`"


class SettingsError(UsageError):
    """A setting is missing or unusable; `where` names it and its source."""

    advice = "Correct the setting, then run `propsync doctor`"


class QueryWrong(UsageError):
    """SQL that DuckDB cannot run, or that propsync refuses. `excerpt` is its line with a caret below; "" if DuckDB
    gives none.
    """

    advice = "Correct the SQL, then run it again"

    def __init__(self, where: str, what: str, next_step: str | None = None, *, excerpt: str = "") -> None:
        super().__init__(where, what, next_step)
        self.excerpt = excerpt

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.excerpt}" if self.excerpt else super().__str__()


class InvalidValue(UsageError):
    """A value to write breaks the rules of API §2.3 or 4.11; propsync sent nothing."""

    advice = "Correct the value, then try again"
