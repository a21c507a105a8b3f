"""The words of an undo about values that an erasure took out of the run log."""

from __future__ import annotations

from propsync.push.plan import UPDATE
from propsync.push.planning.undo import Present, Recorded, way_back


def recorded(row: int, record: str, old: str | None, new: str | None) -> Recorded:
    return Recorded.of(("run", row, "assets", record, UPDATE, "note", old, new, None, False, False))


def test_an_erased_value_is_neither_as_before_nor_edited_by_somebody() -> None:
    rows = [
        recorded(2, "field-erased", None, None),
        recorded(3, "erased-0123456789abcdef", None, None),  # the record itself was erased
        recorded(4, "stays", '"old"', '"new"'),
    ]
    shown = {"field-erased": None, "stays": "new"}
    present: dict[tuple[str, ...], Present] = {
        (key,): Present("p", "t", {"note": note}, "run") for key, note in shown.items()
    }
    back = way_back(rows, present, {})
    assert [(one.row, one.reason.partition(",")[0]) for one in back.refused] == [
        (2, "the value before"),
        (3, "the value before"),
    ]
    assert [entry.row for entry in back.entries] == [4]
    assert back.notes == ["1 record can be reversed", "Impossible: 2 values, erased wholly or in part"]
