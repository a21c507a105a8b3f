"""A template: present values as rows of text that lead back to the same values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from propsync.push.files.source import BLANKS
from propsync.push.planning import asset_rows, schedule_rows
from propsync.push.planning.age import run_heading
from propsync.push.planning.columns import NOTE, Ambiguous, Keys, find_field
from propsync.push.planning.row_checks import lots_of
from propsync.push.values.fields import WRITABLE, Field, RecordType
from propsync.push.values.published import Published
from propsync.push.values.schedule_values import STATUS
from propsync.push.values.shown import is_formula, plain_text, shown

LONGEST = 32_767  # characters of UTF-16 that a cell holds
_ROWS = 2_000  # whose values are in memory at once
_NAMED = 20  # records that a note names


@dataclass
class Template:
    """The heading and the rows of a template. `may_quote` marks columns of texts that a CSV may take for formulas."""

    header: list[str]
    may_quote: list[bool]
    rows: Iterator[list[str]]
    too_long: list[str] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        """Lines for people, once all rows are read."""
        if not self.too_long:
            return []
        more = f" and {len(self.too_long) - _NAMED} more" if len(self.too_long) > _NAMED else ""
        named = ", ".join(self.too_long[:_NAMED])
        return [f"A cell holds {LONGEST:,} characters. Longer texts are left out, and stay as they are: {named}{more}"]


def heading_of(one: Field, fields: Sequence[Field], keys: Keys) -> str:
    """The label if it leads back to the field from every file, else a longer name that does."""
    alike = [other for other in fields if other.label.casefold() == one.label.casefold()]
    names = [f"{one.label} [{one.column}]", one.column, one.id]
    return next(
        name
        for name in ([one.label] if len(alike) == 1 else []) + names
        if _is_safe(name, one, fields, keys) or name == one.id
    )


def _is_safe(name: str, one: Field, fields: Sequence[Field], keys: Keys) -> bool:
    if (
        not name
        or name.startswith((NOTE, "'"))
        or keys.of(name) is not None
        or name != plain_text(name).strip().strip(BLANKS)
    ):
        return False
    windows = name.encode("windows-1252", errors="replace").decode("windows-1252")
    return "\n" not in name and _leads_to(name, one, fields) and _leads_to(windows, one, fields)


def _leads_to(name: str, one: Field, fields: Sequence[Field]) -> bool:
    try:
        return find_field(name, fields) is one
    except Ambiguous:
        return False


def asset_template(published: Published, of_type: RecordType, properties: Sequence[str] | None) -> Template:
    """The assets of a type with their values, of these properties alone if any are given."""
    fields = [one for one in of_type.fields if one.is_listed and one.kind in WRITABLE]
    has_names = any(published.properties.values())
    keys = ["asset_id", "property_id", *([f"{NOTE}property"] if has_names else []), "asset_type"]
    headings = [heading_of(one, of_type.fields, asset_rows.KEYS) for one in fields]
    alike = [one for one in published.asset_types if one.is_called(of_type.shown)]
    named = of_type.shown if len(alike) == 1 else of_type.id
    may_quote = [True] * len(keys) + [one.kind != "number" for one in fields] + [True]
    made = Template([*keys, *headings, run_heading(published.run)], may_quote, iter(()))
    made.rows = _asset_rows(published, of_type, properties, fields, named, has_names=has_names, made=made)
    return made


def _asset_rows(
    published: Published,
    of_type: RecordType,
    properties: Sequence[str] | None,
    fields: Sequence[Field],
    named: str,
    *,
    has_names: bool,
    made: Template,
) -> Iterator[list[str]]:
    names = published.properties if has_names else {}
    for lot in lots_of(published.assets_of_type(of_type.id, properties), _ROWS):
        values = published.asset_values([key for key, _ in lot], [one.id for one in fields])
        for key, property_id in lot:
            name = [names.get(property_id or "") or ""] if has_names else []
            cells = [_cell(made, f"{key} {one.label}", shown(one, values.get((key, one.id)))) for one in fields]
            yield [key, property_id or "", *name, named, *cells, ""]


def schedule_template(published: Published, properties: Sequence[str] | None, types: Sequence[str] | None) -> Template:
    """The schedules of these properties and types, of all without any."""
    members = [one for one in published.members if one.id != STATUS]
    header = ["property_id", f"{NOTE}property", "assessment_type_id", f"{NOTE}assessment_type", f"{NOTE}status"]
    header += [*(one.column for one in members), *schedule_rows.KEYS.names["delete"], run_heading(published.run)]
    made = Template(header, [True] * len(header), iter(()))
    made.rows = _schedule_rows(published, properties, types, members, made)
    return made


def _schedule_rows(
    published: Published,
    properties: Sequence[str] | None,
    types: Sequence[str] | None,
    members: Sequence[Field],
    made: Template,
) -> Iterator[list[str]]:
    kinds = {one.id: one.name or "" for one in published.assessment_types}
    for (property_id, type_id), values in published.schedules(properties, types).items():
        cells = [_cell(made, f"{property_id} {type_id} {one.label}", shown(one, values[one.id])) for one in members]
        name, status = published.properties.get(property_id) or "", values[STATUS] or ""
        yield [property_id, name, type_id, kinds.get(type_id, ""), status, *cells, "", ""]


def _cell(made: Template, place: str, text: str) -> str:
    """The text, without characters that no cell holds; empty if it is too long."""
    text = plain_text(text)
    if len(text) > LONGEST // 2 and len(text.encode("utf-16-le")) // 2 >= LONGEST - is_formula(text):
        made.too_long.append(place)
        return ""
    return text
