"""The values of an asset in the API's JSON, by the known shape: the same as `main.asset_field_values` shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec

from propsync.records import Path, decoder, first_text, follow, text_of
from propsync.shapes import Shape, choice_ids
from propsync.shapes.fields import KIND, KINDS
from propsync.shapes.members import is_blank, leads_on
from propsync.shapes.results.shape import value_paths

_NAME: Path = ()


class _Written(str):
    """A number other than a 64-bit integer, as the API writes it."""

    __slots__ = ()


_decode = decoder(_Written)


@dataclass(frozen=True)
class AssetShape:
    """Where field results have the field's id and the value of each kind, and options their id."""

    references: tuple[Path, ...]
    values: Mapping[str, tuple[Path, ...]]
    options: tuple[Path, ...]

    @classmethod
    def of(cls, assets: Shape, types: Shape) -> AssetShape:
        """The known shapes of assets and of their types."""
        options = choice_ids(types)
        return cls(assets.paths("result_field"), value_paths(assets), options)

    def values_of(self, record: bytes | msgspec.Raw, kinds: Mapping[str, str]) -> dict[str, Any]:
        """The values by field id; `kinds` are those that the asset's type gives its fields.

        A field that occurs twice has its first value. Values are as in `plan.FieldChange`.
        """
        found: dict[str, Any] = {}
        for name, result in _results(_decode(record)):
            field_id = self._field_of(name, result)
            if field_id is not None and field_id not in found:
                found[field_id] = self._value(name, result, kinds.get(field_id, ""))
        return found

    def _field_of(self, name: str | None, result: Any) -> str | None:
        for path in self.references:
            field_id = name if path == _NAME else first_text(result, (path,))
            if field_id:
                return field_id
        return name

    def _value(self, name: str | None, result: Any, defined: str) -> Any:
        own = text_of(follow(result, KIND))
        if name is not None and not _is_result(result, own):
            return self._plain(result, defined)
        places = self.values.get(own or "")
        value = _first_of(result, places) if places else _under(result, own or defined)
        return self._plain(value, own or defined)

    def _plain(self, value: Any, kind: str) -> Any:
        if value is None:
            return None
        if kind == "option" and (chosen := self._chosen(value)) is not None:
            return chosen
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | _Written):
            return number_of(str(value)) if kind == "number" else str(value)
        return value if isinstance(value, str) else _exact(value)

    def _chosen(self, value: Any) -> list[str] | None:
        """The ids of chosen options; None if one has none. Forms write an empty text where nothing is chosen."""
        held = [] if value == "" else value if isinstance(value, list) else [value]
        ids = [first_text(one, self.options) if isinstance(one, dict) else _option(one) for one in held]
        return None if None in ids else ids  # type: ignore[return-value]  # no None is left in it


def number_of(text: str) -> int | Decimal:
    """A number from its text in JSON, with every digit."""
    return int(text) if text.lstrip("-").isdigit() else Decimal(text)


def _option(one: Any) -> str | None:
    return None if isinstance(one, _Written) else text_of(one)


def _results(record: Any) -> Iterator[tuple[str | None, Any]]:
    """The field results, each with its name in an object; None for members of an array."""
    held = record.get("fields") if isinstance(record, dict) else None
    if isinstance(held, dict):
        yield from held.items()
    elif isinstance(held, list):
        yield from ((None, result) for result in held)


def _is_result(result: Any, own: str | None) -> bool:
    """Whether the object under a field's id is a result with its type, and not the value itself."""
    if not isinstance(result, dict):
        return False
    return "value" in result or own in KINDS or own in result


def _first_of(result: Any, places: Sequence[Path]) -> Any:
    """The value at the first place that says something; if none does, at the first that is not null.

    An object that has a deeper place says nothing itself.
    """
    found = [(path, follow(result, path)) for path in places]
    held = [one for path, one in found if not leads_on(one, path, places)]
    said = [one for one in held if not is_blank(one)] or [one for one in held if one is not None]
    return said[0] if said else None


def _under(result: Any, kind: str) -> Any:
    """A new kind has its value under `value`, or under its own name."""
    if not isinstance(result, dict):
        return None
    return result["value"] if "value" in result else result.get(kind)


def _exact(value: Any) -> Any:
    """Objects and arrays, their numbers exact."""
    if isinstance(value, dict):
        return {name: _exact(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_exact(inner) for inner in value]
    return Decimal(value) if isinstance(value, _Written) else value


def from_table(
    kind: str | None, text: str | None, options: Sequence[str] | None, written: str | None, *, fits: bool
) -> Any:
    """The value that a row of `main.asset_field_values` shows; `fits` says that it is a number."""
    if options is not None:
        return list(options)
    if text is not None:
        return number_of(text) if kind == "number" and fits else text
    return from_json(written)


def from_json(written: str | None) -> Any:
    """A value of a JSON column with every digit; None for NULL."""
    return None if written is None else _exact(_decode(written))
