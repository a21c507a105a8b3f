"""Half of the seeds live with documents: which are archived, and what happens to them in a night.

All of it is drawn apart from the rest, which is the same with documents and without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Self

from propsync_sandbox.documents import ETAGS

from .nights import Kill, Night
from .trouble import draw_document_faults

_WEIGHTS = {"blob": 5, "line": 5, "clear": 8, "commit": 5, "statement": 2, "publish": 2, "remove": 2}
_WEIGHTS |= {"copy": 1, "checkpoint": 1, "close": 1}
_FROM_OUTSIDE = {"request": 8, "time": 4}
# moments of each kind when documents come, roughly: the first and the last of a night, and as many in a run of its own
_IN_A_NIGHT = {"blob": (1, 15), "line": (1, 15), "clear": (1, 1), "commit": (9, 24), "statement": (2, 7)}
_IN_A_NIGHT |= {"publish": (20, 60), "remove": (1, 40), "copy": (2, 2), "checkpoint": (2, 2), "close": (2, 5)}
_IN_A_NIGHT |= {"request": (20, 90), "time": (50, 220)}
_ALONE = {"commit": 6, "statement": 2, "publish": 21, "copy": 1, "checkpoint": 1, "close": 4, "request": 20, "time": 90}
_IN_TABLES = ("commit", "statement", "checkpoint")


@dataclass(frozen=True)
class Archive:
    """Which documents are wanted, and how they are served; assessments in rare statuses have few of them."""

    kinds: tuple[str, ...]
    statuses: tuple[str, ...]
    recheck_days: int
    is_text_read: bool
    accept_ranges: bool
    etags: str

    @classmethod
    def of(cls, seed: int) -> Self | None:
        """That of a seed, if it has documents."""
        dice = Random(f"archive {seed}")
        if dice.random() < 0.5:
            return None
        return cls(
            kinds=dice.choice((("report", "bundle"), ("report",), ("bundle",))),
            statuses=dice.choice((("approved",), ("submitted", "inprogress"), ("submitted",))),
            recheck_days=dice.choice((90, 90, 2)),
            is_text_read=dice.random() < 0.3,
            accept_ranges=dice.random() < 0.5,
            etags=dice.choice(ETAGS),
        )

    def settings(self) -> dict[str, str]:
        """Its part of the environment."""
        return {
            "PROPSYNC_ARCHIVE_KINDS": ",".join(self.kinds),
            "PROPSYNC_ARCHIVE_STATUSES": ",".join(self.statuses),
            "PROPSYNC_ARCHIVE_RECHECK_DAYS": str(self.recheck_days),
            "PROPSYNC_ARCHIVE_TEXT": str(self.is_text_read).lower(),
        }

    def __str__(self) -> str:
        words = [
            f"{' and '.join(self.kinds)} of {' and '.join(self.statuses)}",
            f"asked for again after {self.recheck_days} d",
            *(["text read"] if self.is_text_read else []),
            *([f"parts served, ETags: {self.etags}"] if self.accept_ranges else []),
        ]
        return ", ".join(words)


def among_documents(seed: int, kind: str, archive: Archive | None, nights: tuple[Night, ...]) -> tuple[Night, ...]:
    """The nights with what happens to documents, and sometimes one that is about nothing else."""
    if archive is None:
        return nights
    dice = Random(f"documents {seed}")
    found = [_troubled(dice, kind, night) for night in nights]
    if dice.random() < 0.4:
        what = dice.choice(("archive", "archive", "verify"))
        own = replace(dice.choice(nights), only=(), ids_of=None, rebuilds=False, faults=(), documents=what)
        place = dice.randint(1, len(found))
        found.insert(_after_half_a_sync(found) or place, _troubled(dice, kind, own))
    return tuple(found)


def _after_half_a_sync(nights: Sequence[Night]) -> int | None:
    """The place after a night that died in the tables: the next run that publishes also publishes what it left."""
    places = (place for place, night in enumerate(nights, 1) if night.kill and night.kill.event in _IN_TABLES)
    return next(places, None)


def _troubled(dice: Random, kind: str, night: Night) -> Night:
    """Faults of documents come before the others; most deaths are moved to where documents come."""
    faults = (*draw_document_faults(dice), *night.faults)
    is_moved = night.kill is not None and (bool(night.documents) or dice.random() < 0.7)
    return replace(night, faults=faults, kill=_kill(dice, kind, night) if is_moved else night.kill)


def _kill(dice: Random, kind: str, night: Night) -> Kill:
    weights = _WEIGHTS | (_FROM_OUTSIDE if kind == "kill" else {})  # only another process can be killed from outside
    event = dice.choices(list(weights), list(weights.values()))[0]
    first, last = _IN_A_NIGHT[event]
    if night.documents:
        first, last = 1, _ALONE.get(event, last)
    return Kill(event, dice.randint(first, last), dice.random() < 0.5)
