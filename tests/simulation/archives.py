"""Half of the seeds live with documents: which are archived, and what happens to them in a night.

All of it is drawn apart from the rest, which is the same with documents and without.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Self

from .nights import Kill, Night
from .trouble import draw_document_faults

_EVENTS = ("blob", "line", "commit", "statement", "publish", "remove", "copy", "checkpoint", "close")
_WEIGHTS = (6, 6, 5, 2, 2, 2, 1, 1, 1)
# moments of each kind in a night with documents, roughly; an archive run alone has fewer
_MOST = {"blob": 16, "line": 16, "commit": 24, "statement": 8, "publish": 50, "remove": 40, "copy": 4}
_MOST |= {"checkpoint": 5, "close": 6, "request": 90, "time": 220}


@dataclass(frozen=True)
class Archive:
    """Which documents are wanted, and how they are served; assessments in rare statuses have few of them."""

    kinds: tuple[str, ...]
    statuses: tuple[str, ...]
    recheck_days: int
    is_text_read: bool
    accept_ranges: bool

    @classmethod
    def of(cls, seed: int) -> Self | None:
        """That of a seed, if it lives with documents."""
        dice = Random(f"archive {seed}")
        if dice.random() < 0.5:
            return None
        return cls(
            kinds=dice.choice((("report", "bundle"), ("report",), ("bundle",))),
            statuses=dice.choice((("approved",), ("submitted", "inprogress"), ("submitted",))),
            recheck_days=dice.choice((90, 90, 2)),
            is_text_read=dice.random() < 0.3,
            accept_ranges=dice.random() < 0.3,
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
            *(["parts served"] if self.accept_ranges else []),
        ]
        return ", ".join(words)


def among_documents(seed: int, kind: str, archive: Archive | None, nights: tuple[Night, ...]) -> tuple[Night, ...]:
    """The nights with what happens to documents, and sometimes one that is about nothing else."""
    if archive is None:
        return nights
    dice = Random(f"documents {seed}")
    found = [_troubled(dice, kind, night) for night in nights]
    if dice.random() < 0.4:
        own = replace(_troubled(dice, kind, found[-1]), only=(), ids_of=None, rebuilds=False, faults=())
        own = replace(own, faults=draw_document_faults(dice), documents=dice.choice(("archive", "archive", "verify")))
        found.insert(dice.randint(1, len(found)), own)
    return tuple(found)


def _troubled(dice: Random, kind: str, night: Night) -> Night:
    """Faults of documents come before the others; half of the deaths are moved to where documents come."""
    faults = (*draw_document_faults(dice), *night.faults)
    kill = _kill(dice, kind) if night.kill and dice.random() < 0.5 else night.kill
    return replace(night, faults=faults, kill=kill)


def _kill(dice: Random, kind: str) -> Kill:
    events, weights = _EVENTS, _WEIGHTS
    if kind == "kill":
        events, weights = (*events, "request", "time"), (*weights, 8, 4)
    event = dice.choices(events, weights)[0]
    return Kill(event, 1 + int(dice.random() ** 1.5 * _MOST[event]), dice.random() < 0.5)
