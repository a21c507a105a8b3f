"""The rights of callers (API §5): bearer tokens, and path prefixes that a token may not read."""

import hashlib
import re
import threading
from collections.abc import Mapping, Sequence

from .exchange import Refusal, Request

NOBODY = "nobody"


def caller_label(token: str) -> str:
    """A name for the journal that does not reveal the token."""
    return "caller-" + hashlib.sha256(token.encode()).hexdigest()[:8]


def _prefix_pattern(prefix: str) -> re.Pattern[str]:
    """`*` stands for one path segment, as in /assessments/*/report.pdf."""
    return re.compile("[^/]*".join(re.escape(part) for part in prefix.split("*")))


class Callers:
    """Accepted tokens, each with the path prefixes that the API refuses it with 403."""

    def __init__(self, rights: Mapping[str, Sequence[str]]) -> None:
        self._lock = threading.Lock()
        self._refused: dict[str, list[re.Pattern[str]]] = {}
        for token, prefixes in rights.items():
            self.accept(token, prefixes)

    def accept(self, token: str, refused: Sequence[str] = ()) -> None:
        with self._lock:
            self._refused[token] = [_prefix_pattern(prefix) for prefix in refused]

    def revoke(self, token: str) -> None:
        with self._lock:
            self._refused.pop(token, None)

    def label(self, request: Request) -> str:
        """The caller's label; `nobody` without a known token."""
        token = self._token(request)
        return caller_label(token) if token in self._refused else NOBODY

    def check(self, request: Request) -> None:
        """401 without a known token, 403 if the token has no right; the API's document shows neither body (§7)."""
        token = self._token(request)
        with self._lock:
            refused = self._refused.get(token)
        if refused is None:
            raise Refusal(401, "Unauthorized", "A valid access token is required")
        if any(pattern.match(request.path) for pattern in refused):
            raise Refusal(403, "Forbidden", "The access token has no right to this endpoint")

    @staticmethod
    def _token(request: Request) -> str:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""
