"""Notices records of which two members may be the status, so that their lists have to tell it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.resources import Role
from propsync.shapes.choice import Choice
from propsync.shapes.members import SPEAKS, SPEAKS_BY_NAME, most_telling, plain, rank, share_known, texts, usual


def contested(role: Role, records: Sequence[Any], candidates: Sequence[Path], known: Collection[str]) -> Choice | None:
    """The finding that no member is the status, if none has a likely name, and two with known statuses differ.

    One of them may be the former status: `vorherigePhase` beside `zustand`. The alphabet must not choose. A member in
    an object with a likely name, such as `status.code`, precedes others.
    """
    speaking = _speaking(role, records, candidates, known)
    inside = [path for path in speaking if len(path) > 1 and rank(path[:-1], role.likely) < len(role.likely)]
    rivals = next(iter(_rivals(records, inside or speaking)), None)
    if rivals is not None:
        names = " and ".join(".".join(path) for path in rivals)
        return Choice((), "absent", f"{names} have known statuses and differ, so that the lists tell the status")
    best = most_telling(records, inside, known, role.likely) if len(inside) < len(speaking) else None
    if best is None:
        return None
    return Choice((best,), "found", f"its values are known statuses, in an object called {best[-2]}")


def is_former(
    before: Path, role: Role, records: Sequence[Any], candidates: Sequence[Path], known: Collection[str]
) -> bool:
    """Whether another member differs from the status found before, and is in more records.

    New records lack a former status. The few records of a first night may all have had the same at both places.
    """
    if any(rank(path, role.likely) < len(role.likely) for path in (before, before[:-1]) if path):
        return False
    count = len(texts(records, before))
    rivals = [pair for pair in _rivals(records, _speaking(role, records, candidates, known)) if before in pair]
    return any(len(texts(records, path)) > count for pair in rivals for path in pair)


def _speaking(role: Role, records: Sequence[Any], candidates: Sequence[Path], known: Collection[str]) -> list[Path]:
    """The members with known statuses, by the alphabet; none if the name of one says that it is the status."""
    shares = {path: share_known(records, path, known) for path in candidates}
    found = usual(records, [path for path in candidates if shares[path]])
    if any(rank(path, role.likely) < len(role.likely) and shares[path] >= SPEAKS_BY_NAME for path in found):
        return []
    return sorted(path for path in found if shares[path] >= SPEAKS)


def _rivals(records: Sequence[Any], speaking: Sequence[Path]) -> list[tuple[Path, Path]]:
    return [pair for pair in combinations(speaking, 2) if _differ(records, *pair)]


def _differ(records: Sequence[Any], one: Path, other: Path) -> bool:
    """Whether any record says something else at one place than at the other, apart from the spelling."""
    pairs = ((text_of(follow(record, one)), text_of(follow(record, other))) for record in records)
    return any(first and second and plain(first) != plain(second) for first, second in pairs)
