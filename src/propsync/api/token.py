"""The bearer token; propsync reads its file again if the API refuses it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Self

from propsync import log
from propsync.settings import ApiAccess, read_secret

_MAIN = "PROPSYNC_TOKEN"
_THEN = {_MAIN: "run `propsync doctor`", "PROPSYNC_PUSH_TOKEN": "run `propsync push apply` again"}


class TokenSource:
    """A bearer token, from a text or with the file it came from; threads share it, and no text shows it.

    `variable`, or another place such as a block of Prefect, names it in messages.
    """

    def __init__(self, token: str, file: Path | None = None, variable: str = _MAIN) -> None:
        self.variable = variable
        self._lock = threading.Lock()
        self._file = file
        self._refused: set[str] = set()
        self._token = ""
        self._take(token.strip())

    @classmethod
    def of(cls, access: ApiAccess) -> Self:
        """The token of the settings."""
        return cls(access.token.get_secret_value(), access.token_file, access.variable)

    def __repr__(self) -> str:
        return f"TokenSource(file={str(self._file)!r})" if self._file else "TokenSource()"

    def _take(self, token: str) -> None:
        log.conceal(token)
        self._token = token

    @property
    def where(self) -> str:
        """The source of the token, for messages."""
        return f"the token in {self._file}" if self._file else f"the token in {self.variable}"

    @property
    def advice(self) -> str:
        """The next step if the API refuses the token; quotation marks come along with a line of a shell script."""
        then = _THEN.get(self.variable, "start the run again")
        if self._token[:1] in ("'", '"') and self._token[:1] == self._token[-1:]:
            return f"Remove the quotation marks around {self.where}, then {then}"
        place = f"{self.variable} or {self.variable}_FILE" if self.variable in _THEN else self.variable
        return f"Put a valid token in {place}, then {then}"

    def current(self) -> str:
        """The token to send."""
        with self._lock:
            return self._token

    def after_refusal(self, refused: str) -> str | None:
        """Another token to try after a 401 for `refused`, None if the API has refused every known one.

        If the API refuses the token of many threads at once, the first reads the file and the others use its result.
        """
        with self._lock:
            self._refused.add(refused)
            if self._token in self._refused and (fresh := self._reread()) is not None:
                self._take(fresh)
            return None if self._token in self._refused else self._token

    def _reread(self) -> str | None:
        if self._file is None:
            return None
        try:
            token = read_secret(self._file).strip()
        except (OSError, ValueError):
            return None
        return token if token and all("!" <= character <= "~" for character in token) else None
