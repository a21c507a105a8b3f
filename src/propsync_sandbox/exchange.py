"""One request as the application sees it, and its answer; the server handles sockets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from .faults import Effect
from .jsontext import decode_exactly, encode
from .shelf import Key, Record

JSON = "application/json"
_MOST_DIGITS = 18


class Refusal(Exception):
    """An answer other than success. Error bodies are objects with a string `code` (API §7)."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Request:
    """Names of headers in lower case. `effect` is the fault plan's effect on the request."""

    method: str
    path: str
    query_text: str
    headers: Mapping[str, str]
    body: bytes = b""
    effect: Effect | None = None

    @property
    def query(self) -> dict[str, str]:
        """If a parameter occurs twice, the last counts."""
        return dict(parse_qsl(self.query_text, keep_blank_values=True))

    def words(self, name: str, default: str = "") -> set[str]:
        """A comma-separated parameter; an empty one counts as missing."""
        words = [word.strip() for word in (self.query.get(name) or default).split(",") if word.strip()]
        is_cut = self.effect is not None and self.effect.kind == "cut_filter" and self.effect.of == name
        return set(words[: self.effect.first] if is_cut and self.effect is not None else words)

    def whole_number(self, name: str, default: int, most: int | None = None) -> int:
        """An integer of at least 1 (API §8)."""
        text = self.query.get(name, str(default))
        is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
        if not is_number or int(text) < 1 or (most is not None and int(text) > most):
            upper = f" to {most}" if most else " or more"
            raise Refusal(400, f"{name.capitalize()}Invalid", f"{name} must be an integer, 1{upper}")
        return int(text)

    def truth(self, name: str) -> bool:
        """A boolean parameter, false when absent."""
        words = {"true": True, "1": True, "false": False, "0": False}
        text = self.query.get(name, "false").lower()
        if text not in words:
            raise Refusal(400, f"{name.capitalize()}Invalid", f"{name} must be true or false")
        return words[text]

    def json_body(self) -> Any:
        """The parsed body; ValueError if it is not JSON, or holds half a character that the server could not send
        back.
        """
        value = decode_exactly(self.body)
        encode(value)
        return value


@dataclass(frozen=True, slots=True)
class Write:
    """What a request changed in the world: `action` is create, update or delete, `values` what its body set."""

    action: str
    resource: str
    key: Key
    values: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Answer:
    """`content` may be a function: the server then writes slow content after it releases the world's lock."""

    status: int
    content: bytes | Callable[[], bytes] = b""
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    total: int | None = None
    records: tuple[Record, ...] = ()
    types: bytes | None = None
    with_flags: bool = False
    write: Write | None = None

    def body(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content()


def json_answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(status, encode(value), headers=headers or {})


def refusal_answer(refusal: Refusal) -> Answer:
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else {}
    return json_answer({"code": refusal.code, "message": refusal.message}, refusal.status, headers)
