"""The findings about a resource's undocumented shape, with the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from propsync.errors import SettingsError
from propsync.records import Path
from propsync.resources import Catalogue, Resource

UNREAD = "unread"
"""The source of a part that records have, and that propsync cannot read."""


@dataclass(frozen=True)
class Choice:
    """One part of a shape: the paths to try in order, their source, and the evidence for them.

    `source` is "documented", "found", "likely" (by name only), "configured", "absent" or UNREAD (no path).
    """

    paths: tuple[Path, ...]
    source: str
    evidence: str

    @property
    def text(self) -> str:
        """The paths for people: members joined by dots, alternatives by commas; `(bare)` for no member."""
        return ", ".join(".".join(path) or "(bare)" for path in self.paths)


@dataclass
class Shape:
    """The choices for one resource, by part: "list", "id", "property", "result_field", "result_value:text", …"""

    resource: str
    choices: dict[str, Choice] = field(default_factory=dict)
    volatile: frozenset[str] | None = None
    """Leaf paths that differ at every reading of a record; None if propsync never looked for them."""

    def paths(self, part: str) -> tuple[Path, ...]:
        """The paths of one part, empty if it is absent or not yet found."""
        choice = self.choices.get(part)
        return choice.paths if choice else ()

    def has(self, part: str) -> bool:
        """Whether propsync looked for the part and found it."""
        return bool(self.paths(part))

    def settle(self, part: str, choice: Choice | None) -> None:
        """Keeps a choice, unless it would replace something known by a guess."""
        before = self.choices.get(part)
        if choice is None or (before is not None and before.paths and not choice.paths):
            return
        self.choices[part] = choice

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values, for a manifest and `ops.shapes`."""
        parts = {
            part: {"paths": [list(path) for path in choice.paths], "source": choice.source, "evidence": choice.evidence}
            for part, choice in sorted(self.choices.items())
        }
        volatile = None if self.volatile is None else sorted(self.volatile)
        return {"resource": self.resource, "parts": parts, "volatile": volatile}

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Shape:
        """The inverse of `to_json`."""
        choices = {
            part: Choice(tuple(tuple(path) for path in c["paths"]), c["source"], c["evidence"])
            for part, c in written["parts"].items()
        }
        volatile = written.get("volatile")
        return cls(written["resource"], choices, None if volatile is None else frozenset(volatile))


_INNER = {
    "asset_types": ("field_id", "field_label", "field_options", "option_id", "option_label"),
    "assets": ("result_field", "result_value:KIND"),
    "assessments": ("flag_history",),
}
"""Parts found inside records; KIND stands for a kind of field, such as `text`."""
_MAY_BE_NO_MEMBER = ("list", "field_id", "option_id", "result_field", "result_value")
"""Parts that an empty text may say: the answer is a bare array, a member's name is the id, or a result the value."""


def configured(shapes: Mapping[str, Any], resource: str, catalogue: Catalogue) -> Shape:
    """The parts that `[shapes.<resource>]` of propsync.toml decides; `[shapes] volatile` is for every resource.

    Raises SettingsError for anything but paths.
    """
    _refuse_unknown(shapes, "[shapes]", (*catalogue.names, "volatile"))
    table = shapes.get(resource, {})
    if not isinstance(table, Mapping):
        raise SettingsError(
            f"[shapes.{resource}]", "it is not a table", "Write paths such as id = 'reference.id' there"
        )
    known = tuple(role.name for role in catalogue[resource].roles)
    _refuse_unknown(table, f"[shapes.{resource}]", (*known, "list", "volatile", *_INNER.get(resource, ())))
    parts = {"volatile": shapes["volatile"], **table} if "volatile" in shapes else table
    shape = Shape(resource)
    for part, value in parts.items():
        where = f"[shapes.{resource}] {part}"
        texts = _texts(value, where)
        if part == "volatile":
            shape.volatile = frozenset(texts)
        elif not texts or (part.partition(":")[0] not in _MAY_BE_NO_MEMBER and not all(texts)):
            raise SettingsError(
                where, f"{value!r} names no member", f"Name one in propsync.toml, or remove {part} there"
            )
        else:
            paths = tuple(_path(text) for text in texts)
            shape.choices[part] = Choice(paths, "configured", "propsync.toml says so")
    refuse_volatile_roles(shape, catalogue[resource])
    return shape


def refuse_volatile_roles(shape: Shape, resource: Resource) -> None:
    """Raises SettingsError if a volatile member decides what a record is: its id, property, type, status or name."""
    for role in resource.roles:
        documented = tuple(path for name in role.documented for path in ((name,), (name, "id")))
        for text in (".".join(path) for path in shape.paths(role.name) or documented):
            if text in (shape.volatile or ()):
                what = f"{text} is the {role.name} of a record, and its changes always count"
                step = f"Remove {text} there in propsync.toml"
                raise SettingsError(f"[shapes.{resource.name}] volatile", what, step)


def _refuse_unknown(table: Mapping[str, Any], where: str, known: Sequence[str]) -> None:
    for name in table:
        part, _, kind = name.partition(":")
        if (f"{part}:KIND" if kind else name) not in known:
            raise SettingsError(f"{where} {name}", "there is no such part", f"Name one of {', '.join(known)}")


def _path(text: str) -> Path:
    return tuple(text.split(".")) if text else ()


def _texts(value: object, where: str) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
        return texts
    raise SettingsError(where, f"{value!r} is not a path", "Write member names joined by dots, or a list of such paths")
