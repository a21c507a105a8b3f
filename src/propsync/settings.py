"""The only reader of the environment: every setting, its bounds, and where its value came from.

A value comes from `PROPSYNC_<NAME>` (an empty one counts as unset), else from `<name>` in propsync.toml, else from
its default. Every failure is a `SettingsError` that names the setting, the value and the source.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from propsync.errors import SettingsError

PREFIX = "PROPSYNC_"
CONFIG_NAME = "propsync.toml"
TABLES = ("reference", "shapes")
# Teams and healthchecks addresses carry their own secret, so the address as a whole is one.
_SECRET = ("token", "notify_url")
_DOCUMENT_KINDS = ("report", "bundle")


@dataclass(frozen=True, slots=True)
class _Accepts:
    """What a setting takes, in words that can follow "Give"."""

    words: str


def _is_loopback(host: str) -> bool:
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
    _ = parts.port  # raises ValueError itself for a port that is no port
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise ValueError("http is for this computer (loopback) only")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("it holds spaces or characters that an address cannot hold")
    return text


def _check_base_url(text: str) -> str:
    parts = urlsplit(_check_address(text))
    if "@" in parts.netloc:
        raise ValueError("it carries a user name or password")
    if "?" in text or "#" in text:
        raise ValueError("it carries a query or a fragment")
    return text.rstrip("/")


def _check_notify_url(secret: SecretStr) -> SecretStr:
    _check_address(secret.get_secret_value())
    return secret


def _check_token(secret: SecretStr) -> SecretStr:
    return SecretStr(legal_token(secret.get_secret_value()))


def legal_token(text: str) -> str:
    """The token without surrounding white space; raises ValueError if no header can carry it (spec 5)."""
    token = text.strip()
    if not token:
        raise ValueError("it is empty")
    if not all("!" <= character <= "~" for character in token):
        raise ValueError("it holds spaces or characters that a header cannot carry")
    return token


def _check_time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, KeyError, OSError) as error:
        raise ValueError("no such time zone is known here") from error
    return name


def _check_memory(text: str) -> str:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]i?)?B", text, re.IGNORECASE)
    if match is None or float(match[1]) <= 0:
        raise ValueError("it is not a size")
    return text


def _check_storage(_text: str) -> str:
    raise ValueError("object storage is not available yet")


def _split(value: object) -> object:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    return value


def _check_list(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        raise ValueError("the list is empty")
    # A comma or a space inside one would be sent as two.
    if bad := next((name for name in names if not re.fullmatch(r"[^\s,]+", name)), None):
        raise ValueError(f"{bad!r} is not one name")
    return tuple(dict.fromkeys(names))


def _check_kinds(names: tuple[str, ...]) -> tuple[str, ...]:
    if bad := next((name for name in names if name not in _DOCUMENT_KINDS), None):
        raise ValueError(f"{bad!r} is not a kind of document")
    return names


def _no_boolean(value: object) -> object:
    # pydantic reads true as 1, which `page_limit = true` in the toml does not mean.
    if isinstance(value, bool):
        raise ValueError("it is not a number")  # noqa: TRY004 - pydantic lets a TypeError through
    return value


def _check_reference(tables: dict[str, Path]) -> dict[str, Path]:
    if bad := next((name for name in tables if not re.fullmatch(r"[a-z][a-z0-9_]*", name)), None):
        raise ValueError(f"{bad!r} cannot be the name of a table")
    return {name: _absolute(path) for name, path in tables.items()}


def _absolute(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError("it holds a character that a path cannot hold")
    try:
        # Not resolve(): a symlink may be moved on purpose, and is followed when used.
        return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100
    except RuntimeError as error:
        raise ValueError("that user's home folder is not known") from error


def _number(words: str) -> tuple[BeforeValidator, _Accepts]:
    return BeforeValidator(_no_boolean), _Accepts(words)


_STATUSES = "statuses as the API spells them, with commas between"
BaseUrl = Annotated[
    str,
    AfterValidator(_check_base_url),
    _Accepts("an https address without user, query or fragment, such as https://api.example.org/v1"),
]
Token = Annotated[SecretStr, AfterValidator(_check_token), _Accepts("the bearer token alone, without the word Bearer")]
Home = Annotated[Path, AfterValidator(_absolute), _Accepts("a folder on a local disk")]
TokenFile = Annotated[Path, AfterValidator(_absolute), _Accepts("the path of a file that holds the token alone")]
Storage = Annotated[str, AfterValidator(_check_storage), _Accepts("nothing here: files are kept under PROPSYNC_HOME")]
Zone = Annotated[str, AfterValidator(_check_time_zone), _Accepts("an IANA name such as Europe/London")]
Memory = Annotated[str, AfterValidator(_check_memory), _Accepts("a size such as 1GB or 512MB")]
NotifyUrl = Annotated[
    SecretStr, AfterValidator(_check_notify_url), _Accepts("an https address (http on this computer only)")
]
Statuses = Annotated[
    tuple[str, ...], NoDecode, BeforeValidator(_split), AfterValidator(_check_list), _Accepts(_STATUSES)
]
Kinds = Annotated[
    tuple[str, ...],
    NoDecode,
    BeforeValidator(_split),
    AfterValidator(_check_list),
    AfterValidator(_check_kinds),
    _Accepts("report, bundle, or both with a comma between"),
]
PageLimit = Annotated[int, Field(ge=1, le=1000), *_number("a whole number from 1 to 1000")]
Count = Annotated[int, Field(ge=1), *_number("a whole number from 1")]
Share = Annotated[
    float, Field(ge=0, le=1, allow_inf_nan=False), *_number("a share from 0 to 1, such as 0.02 for 2 per cent")
]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False), *_number("a number of seconds from 0")]
Amount = Annotated[float, Field(gt=0, allow_inf_nan=False), *_number("a number above 0")]
Switch = Annotated[bool, _Accepts("true or false")]
Reference = Annotated[
    dict[str, Path], AfterValidator(_check_reference), _Accepts('names and CSV paths: properties = "properties.csv"')
]


@dataclass(frozen=True, slots=True)
class ApiAccess:
    """What talking to the API needs; `token_file` is None when the token came from PROPSYNC_TOKEN."""

    base_url: str
    token: SecretStr
    token_file: Path | None


class Settings(BaseSettings):
    """Every setting, checked; made by `load_settings`. Lists are tuples, a GB is 10^9 bytes, paths are absolute."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", hide_input_in_errors=True)

    base_url: BaseUrl | None = Field(None, description="the API; https, or http on loopback only")
    token: Token | None = Field(None, description="bearer token; never in propsync.toml")
    token_file: TokenFile | None = Field(None, description="file that holds the bearer token, instead of the token")
    home: Home = Field(Path("~/propsync"), validate_default=True, description="where everything is kept")
    storage_url: Storage | None = Field(None, description="object storage instead of home (not available yet)")
    time_zone: Zone = Field("Europe/London", description='what "today" and the timetable mean; stored times are UTC')
    page_limit: PageLimit = Field(1000, description="records a page, 1–1000")
    max_concurrency: Count = Field(8, description="most requests at once")
    assessment_statuses: Statuses = Field(
        ("inprogress", "submitted", "approved"), description="assessment statuses to ask for"
    )
    schedule_statuses: Statuses = Field(("notstarted", "inprogress"), description="schedule statuses to ask for")
    delete_limit: Share = Field(0.02, description="share of a resource that one run may delete")
    lock_wait: Seconds = Field(900, description="seconds to wait for another run")
    memory_limit: Memory = Field("1GB", description="DuckDB's memory")
    landing_keep_days: Count = Field(30, description="days that landing is kept for rebuild")
    archive_kinds: Kinds = Field(_DOCUMENT_KINDS, description="kinds of document to archive")
    archive_statuses: Statuses = Field(("approved",), description="statuses whose documents are archived")
    archive_max_gb: Amount = Field(5, description="most gigabytes of documents a night")
    archive_max_minutes: Amount = Field(120, description="most minutes on documents a night")
    archive_recheck_days: Count = Field(90, description="days after which a document is asked for again")
    archive_text: Switch = Field(False, description="whether text is extracted from the PDFs")
    archive_max_members: Count = Field(50_000, description="most members that a ZIP may have to be read")
    archive_max_ratio: Amount = Field(100, description="most that a member of a ZIP may grow when unpacked, in times")
    archive_max_unpacked_gb: Amount = Field(20, description="most gigabytes that a ZIP may hold unpacked")
    notify_url: NotifyUrl | None = Field(None, description="gets one JSON POST a run (Teams, healthchecks)")
    reference: Reference = Field({}, description="people's own lists: a table name and its CSV file each")
    shapes: dict[str, Any] = Field({}, description="what to believe instead of what was discovered")

    _sources: Mapping[str, str] = PrivateAttr(default_factory=dict)
    _unrecognised: tuple[str, ...] = PrivateAttr(default=())

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic-settings names its arguments
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what is given: `load_settings` alone reads the environment and the toml."""
        return (init_settings,)

    @property
    def explicit(self) -> frozenset[str]:
        """The settings that somebody set, in lower case; the others stand at their defaults."""
        return frozenset(self.model_fields_set)

    @property
    def unrecognised(self) -> tuple[str, ...]:
        """PROPSYNC_ variables that name no setting (a slip of the pen, most likely)."""
        return self._unrecognised

    @property
    def zone(self) -> ZoneInfo:
        """`time_zone` as tzinfo."""
        return ZoneInfo(self.time_zone)

    @property
    def published(self) -> Path:
        """The only folder that people get."""
        return self.home / "published"

    @property
    def state(self) -> Path:
        """The service's own folder."""
        return self.home / "state"

    def source(self, name: str) -> str:
        """Where the value of a setting came from, for messages: "environment", a file, or "default"."""
        return self._sources.get(name, "default")

    def require_api(self) -> ApiAccess:
        """The address and the token, read now. Raises SettingsError if either is missing or cannot be used."""
        if self.base_url is None:
            raise SettingsError(
                "PROPSYNC_BASE_URL", "it is not set", "Set it to the address of the API, then run `propsync doctor`"
            )
        if self.token is not None:
            return ApiAccess(self.base_url, self.token, None)
        if self.token_file is None:
            raise SettingsError(
                "PROPSYNC_TOKEN",
                "no token is set",
                "Set PROPSYNC_TOKEN_FILE (or PROPSYNC_TOKEN), then `propsync doctor`",
            )
        return ApiAccess(self.base_url, _read_token(self.token_file, self.source("token_file")), self.token_file)


def _read_token(path: Path, source: str) -> SecretStr:
    where = f"PROPSYNC_TOKEN_FILE ({source}) {path}"
    try:
        return SecretStr(legal_token(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SettingsError(where, f"it cannot be read: {error.strerror}", "Put the token in that file") from None
    except UnicodeDecodeError:
        raise SettingsError(where, "it is not text", "Put the token alone in that file") from None
    except ValueError as error:
        raise SettingsError(where, str(error), "Put the token alone in that file") from None


class _Variables(EnvSettingsSource):
    """The environment that was given, which need not be the process's own; empty variables are unset."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._given = environ
        super().__init__(Settings)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        names = {PREFIX + name.upper() for name in _plain_fields()}
        return {name.lower(): value.strip() for name, value in self._given.items() if name in names and value.strip()}


def _plain_fields() -> dict[str, FieldInfo]:
    return {name: field for name, field in Settings.model_fields.items() if name not in TABLES}


def load_settings(config: Path | None = None, *, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings from `environ` (the process's own by default) over propsync.toml.

    `config` must exist when given; else `<home>/propsync.toml` is read if it is there. Address and token may be
    missing (see `Settings.require_api`). Raises SettingsError for anything that cannot be used.
    """
    environ = os.environ if environ is None else environ
    variables = _Variables(environ)()
    _keep_one_token(variables)
    path = _absolute(config) if config is not None else _home_of(variables) / CONFIG_NAME
    written = _read_toml(path, required=config is not None)
    if "token" in variables:
        written.pop("token_file", None)  # the environment wins
    sources = dict.fromkeys(written, str(path)) | dict.fromkeys(variables, "environment")
    settings = _checked(_rooted(written, path.parent) | variables, sources)
    if config is None and settings.home != path.parent:
        raise SettingsError(f"home in {path}", "it names another folder than its own", "Set PROPSYNC_HOME instead")
    settings._sources = sources
    settings._unrecognised = tuple(sorted(name for name in environ if _is_unrecognised(name)))
    return settings


def _keep_one_token(variables: Mapping[str, object]) -> None:
    if "token" in variables and "token_file" in variables:
        raise SettingsError("PROPSYNC_TOKEN (environment)", "PROPSYNC_TOKEN_FILE is set as well", "Keep one of the two")


def _is_unrecognised(variable: str) -> bool:
    return variable.startswith(PREFIX) and variable.removeprefix(PREFIX).lower() not in _plain_fields()


def _home_of(variables: Mapping[str, Any]) -> Path:
    home = {name: value for name, value in variables.items() if name == "home"}
    return _checked(home, dict.fromkeys(home, "environment")).home


def _read_toml(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if not required:
            return {}
        raise SettingsError(str(path), "there is no such file", "Give the path of a propsync.toml") from None
    except OSError as error:
        raise SettingsError(str(path), f"it cannot be read: {error.strerror}", "Check its rights") from None
    except UnicodeDecodeError:
        raise SettingsError(str(path), "it is not UTF-8 text", "Save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(str(path), f"it is not TOML: {error}", "Correct that line") from None
    for name in written:
        _check_known(name, path)
    return written


def _check_known(name: str, path: Path) -> None:
    where = f"{name} in {path}"
    if name.lower().removeprefix(PREFIX.lower()) == "token":
        raise SettingsError(
            where, "a token is not kept in this file", "Remove it, and set PROPSYNC_TOKEN_FILE or PROPSYNC_TOKEN"
        )
    known = [field for field in Settings.model_fields if field != "token"]
    if name not in known:
        near = difflib.get_close_matches(name.lower().removeprefix(PREFIX.lower()), known, n=1, cutoff=0.5)
        advice = f"Did you mean {near[0]}?" if near else f"The settings are: {', '.join(known)}"
        raise SettingsError(where, "there is no such setting", advice)


def _rooted(written: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The same, with relative paths taken from the toml's own folder."""
    rooted = dict(written)
    for name in ("home", "token_file"):
        if isinstance(rooted.get(name), str):
            rooted[name] = _under(folder, rooted[name])
    if isinstance(reference := rooted.get("reference"), dict):
        rooted["reference"] = {
            table: _under(folder, path) if isinstance(path, str) else path for table, path in reference.items()
        }
    return rooted


def _under(folder: Path, path: str) -> str:
    return path if path.startswith("~") or not path else str(folder / path)


def _checked(given: dict[str, Any], sources: Mapping[str, str]) -> Settings:
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        reason = str(first["msg"]).removeprefix("Value error, ")
    # Raised outside the handler: the original holds the inputs, and would be shown with it.
    name = str(first["loc"][0])
    raise SettingsError(_label(name, sources), _complaint(name, given.get(name), reason), _advice(name))


def _label(name: str, sources: Mapping[str, str]) -> str:
    source = sources.get(name, "default")
    return f"{PREFIX}{name.upper()} (environment)" if source == "environment" else f"{name} in {source}"


def _complaint(name: str, value: object, reason: str) -> str:
    reason = reason[:1].lower() + reason[1:]
    # A password may sit before the @ and a key in the query.
    hidden = name in _SECRET or (name == "base_url" and re.search(r"[@?#]", str(value)) is not None)
    shown = "its value (not shown)" if hidden else textwrap.shorten(repr(value), 120)
    return f"{shown} cannot be used: {reason}"


def _advice(name: str) -> str:
    field = Settings.model_fields[name]
    words = next((mark.words for mark in _marks(field) if isinstance(mark, _Accepts)), "another value")
    default = f", or leave it out for {_shown(field.default)}" if field.default not in (None, {}) else ""
    return f"Give {words}{default}"


def _marks(field: FieldInfo) -> list[Any]:
    # In `X | None` the marks stay inside the union's first member.
    inner = [mark for part in get_args(field.annotation) for mark in getattr(part, "__metadata__", ())]
    return [*field.metadata, *inner]


def _shown(default: object) -> str:
    if isinstance(default, tuple):
        return ",".join(default)
    return str(default).lower() if isinstance(default, bool) else str(default)


def settings_table() -> list[tuple[str, str, str]]:
    """Rows of (name, meaning, default) as people see them: PROPSYNC_ names first, then the toml's two tables."""
    required = {"base_url": "required", "token": "required", "token_file": "or the token"}
    rows = [
        (
            PREFIX + name.upper(),
            field.description or "",
            required.get(name) or _shown("none" if field.default in (None, {}) else field.default),
        )
        for name, field in _plain_fields().items()
    ]
    return rows + [(f"[{name}]", Settings.model_fields[name].description or "", "none") for name in TABLES]
