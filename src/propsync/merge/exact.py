"""Keeps numbers as they were written, where DuckDB would write them differently (12.50, 1E3, -0).

DuckDB reads a JSON number as a double and forgets its text, but `value_text` promises the exact text of every scalar.
The few payloads that hold such a number get a copy in which field values like that are texts behind a mark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from propsync.records import Path, decoder, follow
from propsync.warehouse import Warehouse, documents, texts

MARK = "\u0001exact:"
"""A control character opens it, so that no text that people type is taken for a number."""

# a fraction with a zero at its end, a long fraction, a long whole part before one, an exponent, or minus zero
_REWRITTEN = r"[:,\[\s](-0[^0-9.]|-?(\d+\.\d+0[^0-9]|\d+\.\d{15,}|\d{15,}\.|0\.0000|\d+(\.\d+)?[eE]))"
_MINUS_ZERO = re.compile(r"[:,\[\s]-0(?![0-9.eE])")


def _literal(written: str) -> msgspec.Raw:
    return msgspec.Raw(written.encode())


_fast = decoder(_literal)


def _decode(payload: str) -> Any:
    """msgspec gives whole numbers as values, which a minus zero does not survive."""
    if _MINUS_ZERO.search(payload):
        return json.loads(payload, parse_int=_literal, parse_float=_literal)
    return _fast(payload)


def stage_exact_numbers(warehouse: Warehouse, values: Iterable[Path]) -> None:
    """Makes `staging.exact_numbers` for the assets in `staging.dirty_versions`; `values` lead to a result's value."""
    warehouse.execute("create or replace table staging.exact_numbers (asset_id varchar, payload json)")
    paths = tuple(values)
    query = "select asset_id, payload::varchar from staging.dirty_versions where regexp_matches(payload, ?)"
    for lot in warehouse.batches(query, [_REWRITTEN]):
        payloads = [marked(payload, paths) for _, payload in lot]
        asset_ids = texts([asset_id for asset_id, _ in lot])
        warehouse.append("staging.exact_numbers", asset_id=asset_ids, payload=documents(payloads))


def marked(payload: str, values: Iterable[Path]) -> bytes:
    """The payload with numbers that are a field result's value as marked texts, all others as they were."""
    record = _decode(payload)
    results = record.get("fields") if isinstance(record, dict) else None
    for result in results if isinstance(results, list) else ():
        for path in values:
            _mark(result, path)
    return msgspec.json.encode(record)


def _mark(result: Any, path: Path) -> None:
    holder = follow(result, path[:-1])
    found = holder.get(path[-1]) if isinstance(holder, dict) else None
    if isinstance(found, msgspec.Raw):
        holder[path[-1]] = MARK + bytes(found).decode()
