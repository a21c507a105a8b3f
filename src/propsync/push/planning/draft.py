"""A plan in the making: entries by row, refusals, and the records that more than one row names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from propsync.push.files.source import Source
from propsync.push.plan import Entry, Plan, Refusal
from propsync.push.planning.row_checks import first_of
from propsync.push.planning.sorted_cells import sorted_notes


class Draft:
    """Collects the wishes of a file's rows, one row after the other."""

    def __init__(self, resource: str, source: Source, run: str) -> None:
        self._resource, self._source, self._run = resource, source, run
        self._entries: dict[int, Entry] = {}
        self._more: list[Entry] = []
        self._refused: list[Refusal] = []
        self._rows: dict[tuple[str, ...], int] = {}
        self._twice: set[int] = set()
        self._unchanged: set[int] = set()
        self.notes: list[str] = []

    @property
    def keys(self) -> Iterable[tuple[str, ...]]:
        """The keys that rows name."""
        return self._rows.keys()

    def note_row(self, row: int, key: tuple[str, ...]) -> bool:
        """Whether the row is the only one so far that names the record; otherwise it refuses both."""
        first = self._rows.setdefault(key, row)
        if first == row:
            return True
        if first not in self._twice:
            self._twice.add(first)
            self._entries.pop(first, None)
            self._unchanged.discard(first)
            self._refuse_twice(first, row, key)
        self._refuse_twice(row, first, key)
        return False

    def _refuse_twice(self, row: int, other: int, key: tuple[str, ...]) -> None:
        reason = f"row {other} names the same record; keep one of them"
        self._refused.append(Refusal(row, None, " ".join(key), reason))

    def plan_row(self, row: int, entry: Entry | None) -> None:
        """Adds an entry; None for a row that changes nothing."""
        if entry is None:
            self._unchanged.add(row)
        else:
            self._entries[row] = entry

    def plan_more(self, entry: Entry) -> None:
        """Adds an entry that no row has."""
        self._more.append(entry)

    def entry(self, row: int) -> Entry | None:
        """What a row asks for so far."""
        return self._entries.get(row)

    def with_action(self, action: str) -> list[Entry]:
        """The entries with this action that rows have."""
        return [one for one in self._entries.values() if one.action == action]

    def refuse(self, refusals: Iterable[Refusal]) -> None:
        """Adds refusals."""
        self._refused.extend(refusals)

    def finished(self, sizes: Mapping[str, int], types: Mapping[str, str]) -> Plan:
        """The plan; `types` are the names of types."""
        entries = [*self._entries.values(), *self._more]
        if not self._source.is_query:
            self.notes += sorted_notes(self._entries.values())
        if hidden := sorted(self._source.hidden.intersection(self._entries)):
            self.notes.append(_hidden(hidden))
        if self._source.is_guessed and (lettered := [row for row, one in self._entries.items() if _letters(one)]):
            self.notes.append(_guessed(sorted(lettered)))
        rows = {one.row for one in self._refused}
        if self._unchanged:
            self.notes.append(f"{_rows(len(self._unchanged), 'changes', 'change')} nothing")
        if rows:
            self.notes.append(f"{_rows(len(rows), 'is', 'are')} refused, with all cells")
        touched = sorted({one.type_id for one in entries})
        return Plan(
            self._resource,
            self._source.name,
            self._source.sha256,
            self._run,
            entries,
            sorted(self._refused, key=lambda one: one.row or 0),
            {key: sizes.get(key, 0) for key in touched},
            {key: types[key] for key in touched if key in types},
            notes=[*self._source.notes, *self.notes],
        )


def _letters(entry: Entry) -> bool:
    return any(isinstance(one.new, str) and not one.new.isascii() for one in entry.changes)


def _guessed(rows: Sequence[int]) -> str:
    what = "the file is not in UTF-8, so propsync took it for Windows-1252. Look at letters such as é in the new values"
    return f"Letters: {what} of {_rows(len(rows), '', '').strip()}: {first_of([str(one) for one in rows])}"


def _hidden(rows: Sequence[int]) -> str:
    named = first_of([str(one) for one in rows])
    return f"Hidden: {_rows(len(rows), 'is', 'are')} changed and hidden in the file, perhaps by a filter: {named}"


def _rows(count: int, one: str, several: str) -> str:
    return f"1 row {one}" if count == 1 else f"{count:,} rows {several}"
