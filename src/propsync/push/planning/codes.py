"""New QR codes that another asset has too: a row that somebody copied keeps the code of the first asset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from propsync.push.plan import Entry
from propsync.push.planning.row_checks import first_of
from propsync.push.values.published import Published

_QR = "qr"


def codes_note(published: Published, entries: Sequence[Entry]) -> list[str]:
    """A line about new codes that another row, or an asset beyond the plan, has too; none without any.

    The API's document does not say that a code is unique, so propsync refuses none.
    """
    new = list(_new_codes(entries))
    if not new:
        return []
    replaced = {(*one.key, change.field) for one in entries for change in one.changes if change.kind == _QR}
    others: dict[str, str] = {}
    for code, asset_id, field_id in published.assets_with_codes({code for code, _ in new}):
        if (asset_id, field_id) not in replaced:
            others.setdefault(code, f"asset {asset_id}")
    places = []
    for code, row in new:
        other = others.setdefault(code, f"row {row}")
        if other != f"row {row}":
            places.append(f"row {row} as {other}")
    if not places:
        return []
    return [f"Codes: another asset has {len(places):,} of the new QR codes: {first_of(places)}. Is it a copied row?"]


def _new_codes(entries: Sequence[Entry]) -> Iterator[tuple[str, int | None]]:
    """The new codes, each with its row."""
    for one in sorted(entries, key=lambda entry: entry.row or 0):
        for change in one.changes:
            if change.kind == _QR and isinstance(change.new, str) and change.new.strip():
                yield change.new.strip(), one.row
