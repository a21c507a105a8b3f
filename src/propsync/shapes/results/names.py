"""Which names of members say that a field result has its value there (API §2.2)."""

from __future__ import annotations

from propsync.records import Path
from propsync.shapes.fields import KINDS
from propsync.shapes.members import plain

LIKELY_VALUE = ("value", "values", "val", "content", "answer", "result", "data")
_PLAUSIBLE = 2  # the last rank of a name that says that the member is a value
BESIDE = (
    "id",
    "uid",
    "label",
    "name",
    "title",
    "position",
    "order",
    "createdat",
    "createdby",
    "updatedat",
    "updatedby",
)
"""Members of a result that are no value, without case and separators."""
VALUES = (*LIKELY_VALUE, "valuevalue", "valueid", "valueids")
"""Names of members that say value, where `value` stands for the kind too."""
_SHOWN = ("display", "formatted", "pretty")
_VALUES_OF_RESULTS = tuple(f"{what}value" for what in ("raw", "field", "actual", "current", "entered", "stored"))
"""Names that say value enough, though all results say the same."""
_FORMS = ("value", "valuetext", "answer", "answertext")
_OF_OTHER_TIMES = (
    "default",
    "previous",
    "prev",
    "old",
    "former",
    "last",
    "initial",
    "expected",
    "target",
    "min",
    "max",
)


def place_rank(path: Path, kind: str) -> tuple[bool, int, int]:
    """A member with a likely name beside the reference comes first, then one in its object, then any other."""
    found = value_rank(path[-1], kind)
    return (found > _PLAUSIBLE, len(path), found)


def value_rank(name: str, kind: str) -> int:
    """Ranks names: `value`, the name of the kind, other words for a value, any name, and last what is beside one."""
    own = plain(name)
    if own == "value":
        return 0
    if kind and own in (kind, kind + "s", kind + "value", "value" + kind, kind + "id", kind + "ids"):
        return 1
    if own in LIKELY_VALUE:
        return 2
    if own in KINDS:
        return 3
    return 5 if own in BESIDE else 4


def may_be_value(name: str, kind: str) -> bool:
    """Whether a name says that the member is the value."""
    return value_rank(name, kind) <= _PLAUSIBLE and plain(name) not in BESIDE


def is_called_a_link(name: str, kind: str) -> bool:
    """Whether it links to an image or a file: some services write `url`, and a null under `value` if there is none."""
    return kind in ("image", "file") and plain(name) in ("url", "uri", "href", "src", "link")


def is_shown(name: str) -> bool:
    """Whether a name says that the value is written for people, such as `display`."""
    return plain(name).startswith(_SHOWN)


def is_form_of_value(name: str) -> bool:
    """Whether a name says that it is the value in another form, such as `textValue`, and no earlier or usual value."""
    own = plain(name)
    return own.endswith(_FORMS) and not own.startswith(_OF_OTHER_TIMES)


def is_of_results(name: str) -> bool:
    """Whether a name says value enough, though all results say the same there: `rawValue`."""
    return plain(name) in _VALUES_OF_RESULTS
