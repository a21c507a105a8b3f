"""A request to erase one thing, and the erasure that follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from propsync.errors import UsageError
from propsync.merge import ShapeStore
from propsync.suppression import ID, REPLACEMENT, TEXT, Erasure, Mark, Marker, new_id, plain_text
from propsync.warehouse import Warehouse, snake_case

_SHORTEST = 4
"""Signs of a text to erase: a shorter one is a part of many words."""


@dataclass(frozen=True)
class Request:
    """One thing to erase: an asset, an assessment, a field (of one asset if `asset` is given) or a text."""

    asset: str | None = None
    assessment: str | None = None
    field: str | None = None
    text: str | None = None
    reason: str = ""

    @property
    def kind(self) -> str:
        """As in `ops.erasures`."""
        if self.text is not None:
            return "text"
        if self.field is not None:
            return "asset field" if self.asset else "field"
        return "asset" if self.asset else "assessment"

    @property
    def words(self) -> str:
        """The id or text to look for."""
        return self.text or self.field or self.asset or self.assessment or ""

    def check(self) -> None:
        """Raises UsageError for a text that is too short to be looked for or part of its replacement, or an empty id.

        An id may come from a variable that is not set. Without it the request would name much more.
        """
        if self.text is not None and len(plain_text(self.text).strip()) < _SHORTEST:
            what = f"it has fewer than {_SHORTEST} characters, so it would be found in many other words"
            raise UsageError("--text", what, "Give more of the text")
        if self.text is not None and plain_text(self.text).strip() in REPLACEMENT:
            what = f"propsync writes {REPLACEMENT} in place of erased texts, so it would stay"
            raise UsageError("--text", what, "Erase the record by its id, or give more of the text")
        given = [one for one in (self.asset, self.assessment, self.field) if one is not None]
        if not (self.words.strip() and all(one.strip() for one in given)):
            raise UsageError("erase", "the id is empty", "Take the id from `propsync query`")

    def erasure(self, marker: Marker, warehouse: Warehouse) -> Erasure:
        """The erasure, with marks in place of ids and texts, and paths as the state knows the shapes."""
        shapes = ShapeStore(warehouse, {})
        record = self.asset or self.assessment
        named = (self.field if self.kind == "field" else record) if self.kind != "asset field" else None
        key = {"assessment": ("assessments", "id")}.get(self.kind, ("assets", "id"))
        found = [("field",), *shapes.get("assets").paths("result_field"), *shapes.get("asset_types").paths("field_id")]
        return Erasure(
            new_id(),
            self.kind,
            datetime.now(UTC),
            self.reason.strip(),
            record=marker.mark(ID, record) if record else None,
            field=marker.mark(ID, self.field) if self.field else None,
            text=marker.mark(TEXT, self.text.strip()) if self.text else None,
            record_paths=tuple(dict.fromkeys([*shapes.get(key[0]).paths(key[1]), ("id",)])) if record else (),
            field_paths=tuple(dict.fromkeys([*found, ("id",)])) if self.field else (),
            pseudonym=marker.pseudonym(named) if named else None,
            key=marker.check,
            name=self._name(marker),
        )

    def _name(self, marker: Marker) -> Mark | None:
        """The mark of a text in names that propsync makes of labels."""
        name = snake_case(self.text, "").replace("_", " ").strip() if self.text else ""
        return marker.mark(TEXT, name) if len(name) >= _SHORTEST else None
