"""A third of the seeds have a further list: that of properties, which propsync.toml names.

All of it is drawn apart from the rest, so that the other seeds stay as they were.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Self

from propsync_sandbox.world import PROPERTIES

from .liars import lies
from .nights import Kill, Night
from .trouble import draw_list_faults

PATH = "/properties"
_TOML = '[resources.properties]\npath = "/properties"\n'
GROUND_TOML = f'{_TOML}id_filter = "id"\n'
"""The entry that grounds are synced with; the seed's own takes its place."""


@dataclass(frozen=True)
class FurtherList:
    """How propsync.toml names the list. `on_ground`: already at the first sync, before the seed's own nights.

    `is_dropped_at_end`: the quiet runs find it unnamed; `is_rebuilt_without`: so does the last rebuild, which
    may find the state database lost.
    """

    has_filter: bool
    is_paged: bool
    on_ground: bool
    page_limit: int | None
    is_dropped_at_end: bool
    rebuild: bool
    is_rebuilt_without: bool
    loses_state: bool
    dies_accepting: bool

    @classmethod
    def of(cls, seed: int, order: str) -> Self | None:
        """The list of a seed, if it has one."""
        dice = Random(f"lists {seed}")
        if dice.random() >= 1 / 3:
            return None
        return cls(
            # nothing but a filter makes a list whole that shows its records in another order at each request
            has_filter=dice.random() < 0.5 or order != "stable",
            is_paged=dice.random() < 0.85,
            on_ground=dice.random() < 0.6,
            page_limit=dice.choice((2, 3)) if dice.random() < 0.25 else None,
            is_dropped_at_end=dice.random() < 0.07,
            rebuild=dice.random() < 0.4,
            is_rebuilt_without=dice.random() < 0.4,
            loses_state=dice.random() < 0.4,
            dies_accepting=dice.random() < 0.4,
        )

    @property
    def toml(self) -> str:
        """The entry that names the list."""
        more = ['id_filter = "id"'] if self.has_filter else []
        more += [] if self.is_paged else ["is_paged = false"]
        return _TOML + "".join(f"{line}\n" for line in more)

    def accepting_kill(self, seed: int) -> Kill | None:
        """A death of the run that takes a person's word for deletes."""
        dice = Random(f"accepting {seed}")
        event = dice.choice(("page", "manifest", "commit", "commit", "publish"))
        return Kill(event, dice.randint(1, 10), dice.random() < 0.5) if self.dies_accepting else None

    def __str__(self) -> str:
        words = [
            f"properties {'with' if self.has_filter else 'without'} a filter",
            *([] if self.is_paged else ["in one piece"]),
            *(["on the ground"] if self.on_ground else []),
            *([f"by {self.page_limit}"] if self.page_limit else []),
            *(["not named at the end"] if self.is_dropped_at_end else []),
            *(["rebuilt without its name"] if self.is_rebuilt_without else []),
        ]
        return ", ".join(words)


def write_toml(home: Path, text: str) -> None:
    """Writes propsync.toml, in a home that there may not be yet."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "propsync.toml").write_text(text, encoding="utf-8")


def among_further(seed: int, further: FurtherList | None, nights: tuple[Night, ...]) -> tuple[Night, ...]:
    """The nights with what happens to the list; in a later one propsync.toml sometimes does not name it."""
    if further is None:
        return nights
    dice = Random(f"further nights {seed}")
    found = [_troubled(dice, night) for night in nights]
    if dice.random() < 0.25:
        if len(found) == 1:
            found.append(replace(found[0], faults=()))
        place = dice.randrange(1, len(found))
        only = () if found[place].only == (PROPERTIES,) else found[place].only
        found[place] = replace(found[place], only=only, is_list_named=False)
    return tuple(found)


def _troubled(dice: Random, night: Night) -> Night:
    """Faults of the list come before the others; some nights are about nothing else."""
    faults = draw_list_faults(dice, PATH) if dice.random() < 0.4 else ()
    if dice.random() < 0.15:
        faults = (*lies(dice, PATH, ("id",)), *faults)
    night = replace(night, faults=(*faults, *night.faults))
    is_nightly = night.ids_of is None and not night.rebuilds and not night.documents
    if is_nightly and dice.random() < 0.15:
        return replace(night, only=(PROPERTIES,), kill=_nearer(dice, night.kill))
    return night


def _nearer(dice: Random, kill: Kill | None) -> Kill | None:
    """A run of one list has few moments."""
    return replace(kill, number=dice.randint(1, 4)) if kill and kill.event != "time" else kill
