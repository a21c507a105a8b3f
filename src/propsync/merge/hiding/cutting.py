"""Versions without what is hidden: the payloads to show, and hashes of these."""

from __future__ import annotations

from collections.abc import Sequence

import nanoarrow as na

from propsync.records import Shears, bytes_hash, without_repeats
from propsync.resources import Resource
from propsync.warehouse import documents, lot, texts, whole_numbers

_FACTS = "coalesce({0}.status, ''), coalesce({0}.performed_for, false), coalesce({0}.performed_by, false)"


def lot_of(shears: Shears, places: Sequence[int], payloads: Sequence[bytes]) -> na.Array:
    """New versions as rows: place, the payload to show, its hash if it is cut, and the whole payload then."""
    shown = [shears.cut(whole) for whole in payloads]
    is_cut = [after is not whole for after, whole in zip(shown, payloads, strict=True)]
    return lot(
        place=whole_numbers(places),
        payload=documents(shown),
        shown_hash=texts([bytes_hash(after) if cut else None for after, cut in zip(shown, is_cut, strict=True)]),
        whole=documents([whole if cut else b"null" for whole, cut in zip(payloads, is_cut, strict=True)]),
    )


def cut_rejected(shears: Shears, rejected: Sequence[tuple[str, int, str, str]]) -> list[tuple[str, int, str, str]]:
    """Rejected records (list, position, reason, payload) without what is hidden, also where a member comes twice."""
    payloads = without_repeats([payload.encode() for *_, payload in rejected])
    cut = [shears.cut(payload).decode() for payload in payloads]
    return [(*one[:3], payload) for one, payload in zip(rejected, cut, strict=True)]


def shown_record_hash(resource: Resource, shown_hash: str, versions: str) -> str:
    """In SQL, the record hash of a version that is shown cut: from the hash of what is shown and the list's facts."""
    facts = _FACTS.format(versions) if resource.performed else "''"
    made = f"split_part({versions}.record_hash, ':', 1) || ':' || md5(concat_ws('|', {shown_hash}, {facts}))"
    return f"if({shown_hash} is null, {versions}.record_hash, {made})"
