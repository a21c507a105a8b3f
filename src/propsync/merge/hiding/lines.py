"""The lines of `[privacy] hide`: which of them can be, and which fields they name."""

from __future__ import annotations

import difflib
import hashlib
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence

from propsync.errors import SettingsError
from propsync.records import Path, decode_shallow
from propsync.resources import ASSET_TYPES, Catalogue, Resource
from propsync.settings import HiddenLine
from propsync.shapes import Shape
from propsync.shapes.entries import entries
from propsync.shapes.fields import FIELDS

HiddenField = tuple[str, str, str]
"""A line of propsync.toml, the id of a field or type that it hides, and a label that the field has or had."""

_TYPE = "type:"
_TYPE_NAME: Path = ("name",)
_LIKELY_LABELS: Sequence[Path] = (("label",),)
"""Where fields have their labels as long as no run has found it."""


def mark_of(lines: Sequence[HiddenLine]) -> str:
    """The hash by which a state remembers the lines: nobody can read a label from it."""
    return hashlib.sha256("\n".join(sorted(line.text for line in lines)).encode()).hexdigest()


def check_lines(lines: Sequence[HiddenLine], catalogue: Catalogue, shape_of: Callable[[str], Shape] = Shape) -> None:
    """Raises SettingsError for a resource that does not exist, or a member without which propsync cannot work.

    `shape_of` gives the shape of a resource, as far as it is known.
    """
    for line in (one for one in lines if one.type is None):
        if line.resource not in catalogue.names:
            close = nearest(line.resource, catalogue.names, likeness=0.7)
            own = "From a list of your own, take the column out of its file"
            known = f"Did you mean {close}?" if close else f"Name one of {', '.join(catalogue.names)}. {own}"
            raise SettingsError(f'"{line.text}" in [privacy] hide', f"there is no resource {line.resource}", known)
        if line.path:
            refuse_needed(catalogue[line.resource], shape_of(line.resource), line.path)


def refuse_needed(resource: Resource, shape: Shape, path: Path) -> None:
    """Raises SettingsError for a member that a key, a property, a type, a status or a name of a table comes from."""
    needed: list[Path] = [(name,) for role in resource.roles for name in role.documented]
    needed += [one for role in resource.roles for one in shape.paths(role.name)]
    if any(one[: len(path)] == path for one in needed):
        where = f"{resource.name}.{'.'.join(path)} in [privacy] hide"
        what = "propsync needs this member to know the record, its property, its type or its status"
        raise SettingsError(where, what, "Remove the line")
    if resource.name == ASSET_TYPES.name:
        _refuse_naming(shape, path)


def _refuse_naming(shape: Shape, path: Path) -> None:
    """Raises SettingsError for a member that names tables or columns: the names would stay and show it."""
    where = f"{ASSET_TYPES.name}.{'.'.join(path)} in [privacy] hide"
    labels = [(*FIELDS, *label) for label in shape.paths("field_label") or _LIKELY_LABELS]
    if any(label[: len(path)] == path for label in labels):
        what = "columns have their names from the labels of fields, and these names would stay"
        raise SettingsError(where, what, "Hide each field itself: assets.fields[LABEL]")
    if path == _TYPE_NAME:
        what = "tables have their names from the names of types, and these names would stay"
        raise SettingsError(where, what, "Hide the type itself: type:NAME")


def hidden_fields(
    lines: Iterable[HiddenLine], definitions: Iterable[tuple[str, str | None]], known: Iterable[HiddenField] = ()
) -> set[HiddenField]:
    """The fields that lines name by id or by a label, with every label that they have.

    A field without a label goes by its id, as a label does.
    """
    defined = [(field_id, label or "") for field_id, label in definitions]
    named = [(line, line.field) for line in lines if line.field is not None]
    found = {
        (line.text, field_id)
        for field_id, label in defined
        for line, name in named
        if name == field_id or plain(name) == plain(label or field_id)
    }
    found |= {(line, field_id) for line, field_id, _ in known if not is_of_type(line)}
    labels = {(line, field_id, label) for line, hidden in found for field_id, label in defined if field_id == hidden}
    return labels | {*known}


def is_of_type(line: str) -> bool:
    """Whether the text of a line names a type."""
    return line.startswith(_TYPE)


def definitions(payloads: Iterable[bytes], shape: Shape) -> Iterable[tuple[str, str | None]]:
    """The fields that asset types define: id and label."""
    for payload in payloads:
        for entry in entries(decode_shallow(payload), FIELDS):
            if field_id := entry.first_text(shape.paths("field_id")):
                labels = (entry.text(path) for path in shape.paths("field_label"))
                yield field_id, next(filter(None, labels), None)


def plain(label: str) -> str:
    """The label without what people and programs write differently each time."""
    folded = unicodedata.normalize("NFKC", label).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())


def nearest(written: str, known: Collection[str], *, likeness: float = 0.4) -> str | None:
    """The known name that is most like what somebody wrote; None if none is."""
    by_plain = {plain(name): name for name in known}
    found = difflib.get_close_matches(plain(written), list(by_plain), n=1, cutoff=likeness)
    return by_plain[found[0]] if found else None
