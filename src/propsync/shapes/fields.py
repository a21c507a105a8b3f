"""The documented places of fields, and steps common to definitions and results (API §2.1, 2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.shapes.choice import Choice, Shape
from propsync.shapes.earlier import with_earlier
from propsync.shapes.entries import NAME, Entry, names, values
from propsync.shapes.members import carries, refuse_astray, scalar_paths, texts

FIELDS: Path = ("fields",)
"""The documented member of asset types and of assets (API §2.1, 2.2)."""
KIND: Path = ("type",)
"""The documented discriminator of definitions and results (API §2.1, 2.2)."""
WHOLE: Path = ()
"""The path of a value that is a whole result: the value under the id of its field, or all members of a pin."""
NUMBERS = ("position", "order", "index", "sequence", "sortorder", "displayorder")
"""Members with the place of a definition or a result: small numbers, which may be ids of fields too."""
KINDS = ("text", "number", "date", "time", "image", "file", "option", "pin", "qr")  # API §2.2

_RARE = 100  # records for one with the member, compared with the commonest member


def settle(
    shape: Shape,
    part: str,
    choice: Choice | None,
    found: Sequence[Entry],
    *,
    is_whole: bool = True,
    is_sure: bool = True,
) -> None:
    """Settles a part by its choice, or refuses a configured one that none of `found` has. Raises ShapeUnknown.

    Without `is_whole`, the evidence is only a part of the assets. All values of one property may be blank or the same,
    and those of all others would move with them. So only a sure choice replaces a finding, if none of `found` has it.
    """
    before = shape.choices.get(part)
    if before is None or before.source != "configured":
        is_unfound = before is None or before.source != "found"
        if is_whole or is_unfound or (is_sure and not _is_there(found, shape.paths(part))):
            shape.settle(part, with_earlier(before, choice, found, Entry.held))
    elif not _may_be_no_member(part, before, found):
        refuse_astray(shape.resource, part, before, values(found))


def _may_be_no_member(part: str, choice: Choice, found: Sequence[Entry]) -> bool:
    """Whether a configured part is a whole result, or the name of a member in an object that has names."""
    return NAME in choice.paths and (part.startswith("result_value:") or bool(names(found)))


def _is_there(found: Sequence[Entry], paths: Sequence[Path]) -> bool:
    """Whether any has a member there, null included; a place that no service ever had is nowhere."""
    return any(carries(one.value, path) or (path == NAME and one.name is not None) for one in found for path in paths)


def spoken_for(found: Sequence[Entry], path: Path, known: set[str]) -> float:
    """The share of the texts at `path` that are known, 0 to 1, in tenths."""
    shown = names(found) if path == NAME else texts(values(found), path)
    return round(sum(text in known for text in shown) / len(shown), 1) if shown else 0.0


def text_paths(records: Sequence[Any]) -> list[Path]:
    """Paths to scalars that hold an identifier or text, without those of hardly any record. Members may be named by the
    ids of options, and each path costs a look at every record.
    """
    paths = ((record, path) for record in records for path in scalar_paths(record))
    counts = Counter(path for record, path in paths if text_of(follow(record, path)))
    least = max(counts.values(), default=0) / _RARE
    return [path for path, count in counts.items() if count >= least]
