"""The rules for `[privacy]`: what propsync leaves out of everything that it publishes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_FIELD = re.compile(r"assets\.fields\[(?P<field>.+)\]")
_MEMBER = re.compile(r"(?P<resource>[a-z][a-z0-9_]*)\.(?P<path>[^.\[\]]+(?:\.[^.\[\]]+)*)")
_FORMS = (
    'write "assets.fields[Resident notes]", a member such as "assessments.occupant", or "type:" and the name of a type'
)


@dataclass(frozen=True)
class HiddenLine:
    """One entry of `hide`: a member of a resource's records, a field of assets by its label or id, or a type.

    A type of assets or assessments, by its name or id, belongs to no resource alone.
    """

    text: str
    resource: str = ""
    path: tuple[str, ...] = ()
    field: str | None = None
    type: str | None = None


@dataclass(frozen=True)
class PrivacySettings:
    """The entries of `[privacy]`."""

    hide: tuple[HiddenLine, ...] = ()


def read_privacy(written: object) -> PrivacySettings:
    """The entries as propsync.toml has them. Raises ValueError that names the entry."""
    if isinstance(written, PrivacySettings):
        return written
    if not isinstance(written, Mapping):
        raise ValueError("[privacy] is not a table")  # noqa: TRY004 - settings report ValueError
    for name in written:
        if name != "hide":
            raise ValueError(f"[privacy] has an entry {name}, and propsync knows hide")
    lines = written.get("hide", [])
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise ValueError(f"hide is {lines!r}, and it must be a list of texts")
    return PrivacySettings(tuple(dict.fromkeys(_line(line.strip()) for line in lines)))


def _line(text: str) -> HiddenLine:
    if text.startswith("type:") and text.removeprefix("type:").strip():
        return HiddenLine(text, type=text.removeprefix("type:").strip())
    if found := _FIELD.fullmatch(text):
        return HiddenLine(text, "assets", field=found["field"].strip())
    found = _MEMBER.fullmatch(text)
    if found is None:
        raise ValueError(f"hide has {text!r}: {_FORMS}")
    path = tuple(found["path"].split("."))
    if path == ("fields",) and found["resource"] in ("assets", "asset_types"):
        raise ValueError(f"hide has {text!r}, which is every field: name the fields, {_FORMS}")
    return HiddenLine(text, found["resource"], path)
