"""Where a home has what somebody asks to erase: counts by place, for a dry run and for `ops.erasures`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from propsync.erasing.request import Request
from propsync.erasing.rows import pattern_of, relations
from propsync.resources import Catalogue
from propsync.suppression import ErasedVersion, Suppression
from propsync.warehouse import Warehouse, quoted, statement, text

LOOKED_AT = 10_000
"""Rows of a table that the marks judge. Of more, the pattern's number counts, which has longer ids too."""


@dataclass
class Found:
    """`tables` has rows by table; `bodies` are answers in landing, `files` other files. `documents` are hashes."""

    tables: dict[str, int] = field(default_factory=dict)
    bodies: int = 0
    files: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Documents that cannot be read."""
    versions: list[ErasedVersion] = field(default_factory=list)
    histories: frozenset[str] = frozenset()
    """The tables with versions of records."""

    @property
    def is_empty(self) -> bool:
        """Whether it is nowhere."""
        return not (self.tables or self.bodies or self.files or self.documents)

    def counts(self) -> dict[str, int]:
        """As in `ops.erasures`."""
        of_history = sum(rows for name, rows in self.tables.items() if name in self.histories)
        others = sum(rows for name, rows in self.tables.items() if name.startswith(("ops.", "main.bundle", "main.doc")))
        return {
            "versions": of_history,
            "bodies": self.bodies,
            "rows": others,
            "documents": len(self.documents),
            "files": len(self.files),
        }


def search_tables(warehouse: Warehouse, request: Request) -> Iterator[tuple[str, int]]:
    """The tables of the state that have the id or the text, with the number of rows."""
    for one in relations(warehouse):
        if rows := int(warehouse.value(statement("erasing/count_rows", **one.fragments), _given(request))):
            yield one.name, rows


def tables_with(warehouse: Warehouse, request: Request, suppression: Suppression) -> Iterator[tuple[str, int]]:
    """The tables of the state that have it by the marks, too, with the number of such rows among those looked at."""
    for one in relations(warehouse):
        values = {**_given(request), "most": LOOKED_AT}
        rows = warehouse.rows(statement("erasing/rows_with", **one.fragments), values)
        if seen := sum(suppression.sees_all(row) for (row,) in rows):
            yield one.name, seen


def documents_in(
    warehouse: Warehouse, words: str, sees: Callable[[str], bool], tables: Collection[str]
) -> Iterator[str]:
    """The hashes of documents with a row in one of these tables that has the words, and in which `sees` sees it."""
    values = {"pattern": pattern_of(words)}
    for one in relations(warehouse):
        if one.name in tables:
            for lot in warehouse.batches(statement("erasing/documents_with", **one.fragments), values):
                yield from (sha256 for sha256, row in lot if sees(row))


def _given(request: Request) -> dict[str, str]:
    """Of a field of one asset, only rows with both ids count. An empty pattern fits every row."""
    of_asset = request.asset if request.kind == "asset field" else None
    return {"pattern": pattern_of(request.words), "of_asset": pattern_of(of_asset or "")}


def erased_versions(warehouse: Warehouse, catalogue: Catalogue, request: Request) -> Iterator[ErasedVersion]:
    """The versions of an erased record."""
    resource = {"asset": "assets", "assessment": "assessments"}.get(request.kind)
    if resource is None:
        return
    key = quoted(catalogue[resource].key_columns[0])
    query = statement("erasing/versions", table=quoted(resource), key=key)
    for valid_from, valid_to, run_id in warehouse.rows(query, {"record_id": request.words}):
        yield ErasedVersion(resource, valid_from, valid_to, run_id)


def erased_documents(warehouse: Warehouse, request: Request) -> list[str]:
    """The hashes of an erased assessment's documents that no other assessment has."""
    if request.kind != "assessment":
        return []
    query = statement("erasing/documents", record_id=text(request.words))
    return [sha256 for (sha256,) in warehouse.rows(query)]
