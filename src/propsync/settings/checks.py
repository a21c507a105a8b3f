"""The rules for values: each check returns the value, tidied, or raises ValueError with the reason."""

from __future__ import annotations

import base64
import ipaddress
import os
import re
from pathlib import Path
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from propsync.settings.storage_access import split_url

LEAST_MEMORY = 64_000_000
"""Bytes: with less, DuckDB cannot sync even a few hundred records."""

_MOST_MEMORY = 1e15
_SHORTEST_SECRET = 32  # characters
_SHORTEST_KEY = 16  # bytes
_NOT_IN_HOME = {"?": "a question mark", "\\": "a backslash"}  # DuckDB reads them as options and as a slash

_ONLY_HERE = re.compile(r"(posix|right)/|localtime$|posixrules$")  # files of the computer, no names of IANA
_QUOTED = re.compile("""^['"]|['"]$""")  # docker run --env-file keeps quotation marks, and no status has one
_ROOM_FOR_STATUSES = 1_500  # characters in an address, beside two ids and the rest

DOCUMENT_KINDS = ("report", "bundle")

DELTA_SCHEMAS = ("main", "by_type", "marts", "history")


def is_loopback(host: str) -> bool:
    """Whether a host is this computer itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("it is not an http(s) address")
    _ = parts.port  # raises ValueError itself for a wrong port
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise ValueError("http works on this computer (loopback) only")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("it holds spaces or characters that an address cannot hold")
    try:
        parts.hostname.encode("idna")
    except UnicodeError as error:
        raise ValueError("a part of its host name is empty or too long") from error
    return text


def check_base_url(text: str) -> str:
    parts = urlsplit(_check_address(text))
    if "@" in parts.netloc:
        raise ValueError("it carries a user name or password")
    if "?" in text or "#" in text:
        raise ValueError("it carries a query or a fragment")
    return text.rstrip("/")


def check_notify_url(secret: SecretStr) -> SecretStr:
    _check_address(secret.get_secret_value())
    return secret


def check_token(secret: SecretStr) -> SecretStr:
    return SecretStr(legal_token(secret.get_secret_value()))


def legal_token(text: str) -> str:
    """The token without surrounding white space; raises ValueError if no header can carry it (API §5)."""
    token = text.strip()
    if not token:
        raise ValueError("it is empty")
    if not all("!" <= character <= "~" for character in token):
        raise ValueError("it holds spaces or characters that a header cannot carry")
    return token


def check_webhook_secret(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value().strip()
    if len(text) < _SHORTEST_SECRET:
        raise ValueError(f"it is shorter than {_SHORTEST_SECRET} characters")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise ValueError("it holds other characters than letters, digits, - and _")
    return SecretStr(text)


def check_signing_key(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value().strip()
    try:
        key = signing_key(text)
    except ValueError as error:
        raise ValueError("it is not base64") from error
    if len(key) < _SHORTEST_KEY:
        raise ValueError("it is too short")
    return SecretStr(text)


def signing_key(text: str) -> bytes:
    """The key's bytes; raises ValueError if it is not base64."""
    return base64.b64decode(text.removeprefix("whsec_"), validate=True)


def check_header(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]+", name):
        raise ValueError("it is not the name of a header")
    return name


def check_scheduler(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not parts.port or "@" in parts.netloc:
        raise ValueError("it is not a tcp:// or tls:// address with a port")
    return text


def check_time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, KeyError, OSError) as error:
        raise ValueError("this computer knows no such time zone") from error
    if _ONLY_HERE.match(name):
        raise ValueError("only this computer has that name, and DuckDB does not know it")
    return name


def check_memory(text: str) -> str:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:([KMGT])(i?))?B", text, re.IGNORECASE | re.ASCII)
    if match is None:
        raise ValueError("it is not a size")
    unit = 1024 if match[3] else 1000
    size = float(match[1]) * unit ** " KMGT".index((match[2] or " ").upper())
    if size < LEAST_MEMORY:
        raise ValueError(f"it is too small; {LEAST_MEMORY // 1_000_000}MB is the least that works")
    if size > _MOST_MEMORY:
        raise ValueError("it is more than any computer has")
    return text


def check_storage(url: str) -> str:
    split_url(url)
    return url.rstrip("/")


def check_identity(name: str) -> str:
    if name != "instance":
        raise ValueError(f"{name!r} is not an identity")
    return name


def split(value: object) -> object:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    return value


def check_list(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        raise ValueError("the list is empty")
    # The API would read a comma or a space inside a value as the start of another; a semicolon is meant for a comma.
    if bad := next((name for name in names if not re.fullmatch(r"[^\s,;]+", name)), None):
        raise ValueError(f"{bad!r} is not one name")
    if bad := next((name for name in names if _QUOTED.search(name)), None):
        raise ValueError(f"{bad!r} begins or ends with a quotation mark")
    return tuple(dict.fromkeys(names))


def check_statuses(names: tuple[str, ...]) -> tuple[str, ...]:
    try:
        length = sum(len(quote(name, safe="")) + 1 for name in names)
    except UnicodeEncodeError as error:
        raise ValueError("it is not UTF-8 text") from error
    if length > _ROOM_FOR_STATUSES:
        raise ValueError(f"they take {length:,} characters in an address, which has room for {_ROOM_FOR_STATUSES:,}")
    return names


def check_kinds(names: tuple[str, ...]) -> tuple[str, ...]:
    if names == ("none",):
        return ()
    if bad := next((name for name in names if name not in DOCUMENT_KINDS), None):
        raise ValueError(f"{bad!r} is not a kind of document")
    return names


def check_schemas(names: tuple[str, ...]) -> tuple[str, ...]:
    if names == ("none",):
        return ()
    if bad := next((name for name in names if name not in DELTA_SCHEMAS), None):
        raise ValueError(f"{bad!r} is not one of {', '.join(DELTA_SCHEMAS)}")
    return tuple(dict.fromkeys(names))


def no_boolean(value: object) -> object:
    # pydantic reads true as 1, which `page_limit = true` in the toml does not mean.
    if isinstance(value, bool):
        raise ValueError("it is not a number")  # noqa: TRY004 - pydantic lets a TypeError through
    return value


def any_lists(tables: object) -> object:
    """Turns any value into a path: the run reports a mistake in a list, and continues."""
    return {name: str(path) for name, path in tables.items()} if isinstance(tables, dict) else tables


def check_reference(tables: dict[str, Path]) -> dict[str, Path]:
    return {name: _absolute_or_as_it_is(path) for name, path in tables.items()}


def _absolute_or_as_it_is(path: Path) -> Path:
    try:
        return absolute(path)
    except ValueError:  # opening it says so
        return path


def check_home(path: Path) -> Path:
    if str(path).startswith(("'", '"')):
        raise ValueError("it begins with a quotation mark")
    home = absolute(path)
    if bad := next((words for character, words in _NOT_IN_HOME.items() if character in str(home)), None):
        raise ValueError(f"it holds {bad}, and DuckDB cannot keep a file there")
    return home


def absolute(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError("it holds a character that a path cannot hold")
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise ValueError("it is not UTF-8 text") from error
    try:
        # Not resolve(): somebody may move a symlink on purpose, and propsync follows it at each use.
        return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100
    except RuntimeError as error:
        raise ValueError("that user's home folder is not known") from error
    except FileNotFoundError as error:
        raise ValueError("it is relative, and the folder of this program is gone") from error
