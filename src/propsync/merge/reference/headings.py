"""Headings of a list that seem to mean a column which marts read: their cells would be in no mart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from propsync.merge.reference.list_file import OF_PROPERTIES, Mistake, ReferenceList

_Signs = Mapping[str, Sequence[str]]
_OF_PROPERTIES: _Signs = {
    "name": ("name",),
    "address": ("address",),
    "postcode": ("postcode", "post_code"),
    "region": ("region",),
    "uprn": ("uprn",),
    "homes": ("homes", "dwellings", "units"),
    "height_m": ("height",),
    "built_year": ("built", "construction_year"),
}
_SIGNS: Mapping[str, _Signs] = {"properties": _OF_PROPERTIES, "users": {"name": ("name",), "team": ("team",)}}
"""Words of headings by the column that they may mean, for each list."""


def other_headings(table: str, found: ReferenceList) -> list[Mistake]:
    """A note for each column that marts read and the list lacks, if another one may be meant: `number_of_homes`."""
    signs = _SIGNS.get(table, {})
    others = [one for one in found.columns if one not in OF_PROPERTIES]
    lacking = [meant for meant in signs if meant not in found.columns]
    meant = [(one, [name for name in others if _may_mean(name, one, signs[one])]) for one in lacking]
    return [Mistake(found.heading, None, _reason(one, names)) for one, names in meant if names]


def _reason(meant: str, names: Sequence[str]) -> str:
    which = "it" if len(names) == 1 else "one of them"
    return f"marts read a column {meant}, not {' or '.join(names)}; if {which} has that, call it {meant}"


def _may_mean(name: str, meant: str, signs: Sequence[str]) -> bool:
    words = f"_{'_'.join(name.lower().split())}_"
    return not (meant == "address" and "mail" in words) and any(f"_{sign}_" in words for sign in signs)
