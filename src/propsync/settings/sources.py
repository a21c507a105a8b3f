"""The sources of values: the environment over propsync.toml. The only reader of either."""

from __future__ import annotations

import difflib
import errno
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from propsync.errors import LOOK_AT_DISK, SettingsError
from propsync.settings.checks import absolute
from propsync.settings.messages import checked
from propsync.settings.model import PREFIX, TABLES, Settings
from propsync.settings.storage_access import VARIABLES

CONFIG_NAME = "propsync.toml"
TOKENS = ("token", "push_token", "webhook_secret", "webhook_signing_key")


def load_settings(config: Path | None = None, *, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings from `environ` (the process's own by default) over propsync.toml.

    A given `config` must exist; without one, propsync reads `<home>/propsync.toml` if it exists. Address and token may
    be missing (see `Settings.require_api`). Raises SettingsError for any unusable value.
    """
    environ = os.environ if environ is None else environ
    variables = _variables(environ)
    for name in TOKENS:
        _keep_one_token(name, variables)
    path = _given(config) if config is not None else _home_of(variables) / CONFIG_NAME
    written = _read_toml(path, required=config is not None)
    for name in TOKENS:
        if name in variables:
            written.pop(f"{name}_file", None)  # the environment wins
    sources = dict.fromkeys(written, str(path)) | dict.fromkeys(variables, "environment")
    settings = checked(_rooted(written, path.parent) | variables, sources)
    if config is None and settings.home != path.parent:
        raise SettingsError(f"home in {path}", "it names a folder that is not its own", "Set PROPSYNC_HOME instead")
    settings._folder = path.parent
    settings._has_file = path.exists() and path.stat().st_size > 0
    settings._sources = sources
    settings._storage_environ = {name: environ[name] for name in VARIABLES if environ.get(name)}
    settings._unrecognised = tuple(sorted(name for name in environ if _is_unrecognised(name)))
    return settings


def _variables(environ: Mapping[str, str]) -> dict[str, str]:
    """By the name of their setting; empty variables are unset."""
    raw = ((name, environ.get(PREFIX + name.upper(), "").strip()) for name in Settings.plain_fields())
    return {name: value for name, value in raw if value}


def _keep_one_token(name: str, variables: Mapping[str, object]) -> None:
    if name in variables and f"{name}_file" in variables:
        variable = PREFIX + name.upper()
        raise SettingsError(f"{variable} (environment)", f"its file {variable}_FILE is set too", "Use only one of them")


def _is_unrecognised(variable: str) -> bool:
    return variable.startswith(PREFIX) and variable.removeprefix(PREFIX).lower() not in Settings.plain_fields()


def nearest_variable(unrecognised: str) -> str | None:
    """The variable that one of `Settings.unrecognised` probably stands for, if one is close enough."""
    known = [PREFIX + name.upper() for name in Settings.plain_fields()]
    return next(iter(difflib.get_close_matches(unrecognised.upper(), known, n=1, cutoff=0.85)), None)


def _home_of(variables: Mapping[str, Any]) -> Path:
    home = {name: value for name, value in variables.items() if name == "home"}
    return checked(home, dict.fromkeys(home, "environment")).home


def _given(config: Path) -> Path:
    try:
        return absolute(config)
    except ValueError as error:
        raise SettingsError(f"--config {config}", str(error), "Give the whole path of a propsync.toml") from None


def _read_toml(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            step = "Restore that file, or remove the link"
            raise SettingsError(str(path), f"it is a link to {path.readlink()}, which does not exist", step) from None
        if not required:
            return {}
        raise SettingsError(str(path), "there is no such file", "Give the path of a propsync.toml") from None
    except OSError as error:
        step = LOOK_AT_DISK if error.errno == errno.EIO else "Check its permissions"
        raise SettingsError(str(path), f"it cannot be read: {error.strerror}", step) from None
    except UnicodeDecodeError:
        raise SettingsError(str(path), "it is not UTF-8 text", "Save it as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise SettingsError(str(path), f"it is not TOML: {_why_no_toml(error)}", "Correct that line") from None
    for name, value in written.items():
        _check_known(name, path)
        _check_entries(name, value, path)
    return written


def _why_no_toml(error: Exception) -> str:
    if isinstance(error, tomllib.TOMLDecodeError):
        return str(error)
    is_deep = isinstance(error, RecursionError)
    return "its brackets are too many levels deep" if is_deep else "it has a number of thousands of digits"


def _check_known(name: str, path: Path) -> None:
    _refuse_token(name, path)
    known = [field for field in Settings.model_fields if field not in TOKENS]
    if name not in known:
        near = difflib.get_close_matches(_meant(name), known, n=1, cutoff=0.5)
        advice = f"Did you mean {near[0]}?" if near else f"The settings are: {', '.join(known)}"
        raise SettingsError(f"{name} in {path}", "there is no such setting", advice)


def _check_entries(table: str, entries: object, path: Path) -> None:
    """Refuses a setting below the line of a table, to which TOML counts it; a token there could show in messages."""
    for name, value in entries.items() if isinstance(entries, dict) else ():
        if isinstance(value, dict):
            _check_entries(f"{table}.{name}", value, path)
        else:
            _refuse_token(name, path)
        if step := _right_place(table, name, value):
            what = f"it stands below the line [{table}], so it is an entry of that table"
            raise SettingsError(f"{name} in {path}", what, step)


def _right_place(table: str, name: str, value: object) -> str | None:
    """Where an entry belongs, None if that is its table. Among lists, it would only be a list without a file."""
    if isinstance(value, dict):
        return f"Move it below a line [{name}]" if table == "reference" and name in TABLES else None
    if name == "hide" and table != "privacy":
        return "Move it below a line [privacy]"
    is_setting = "_" in name and _meant(name) in Settings.plain_fields()
    return "Move it above the first line in brackets" if is_setting else None


def _refuse_token(name: str, path: Path) -> None:
    if (token := _meant(name)) in TOKENS:
        variable = PREFIX + token.upper()
        advice = f"Remove it, and set {variable}_FILE or {variable}"
        is_token = token.endswith("token")
        what = "this file must not hold a token" if is_token else "this file must not hold a secret"
        raise SettingsError(f"{name} in {path}", what, advice)


def _meant(name: str) -> str:
    """The setting that a name is nearly, in propsync.toml or as a variable."""
    return name.lower().removeprefix(PREFIX.lower())


def _rooted(written: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The same, with relative paths resolved from the toml's own folder."""
    rooted = dict(written)
    for name in ("home", *(f"{token}_file" for token in TOKENS)):
        if isinstance(rooted.get(name), str):
            rooted[name] = _under(folder, rooted[name])
    if isinstance(reference := rooted.get("reference"), dict):
        rooted["reference"] = {table: _under(folder, str(path)) for table, path in reference.items()}
    return rooted


def _under(folder: Path, path: str) -> str:
    return path if path.startswith("~") else str(folder / path)
