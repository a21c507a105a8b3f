"""What a seed stands for: a ground, settings, and nights with their edits, faults and kills. Nothing else is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from propsync_sandbox import RESOURCES

from .ground import GROUNDS
from .statuses import ASKED
from .trouble import Rule, draw_faults

SCOPES = ("properties", "asset_types", "assessment_types", "assets", "assessments")
"""What a backfill can be narrowed by."""

EVENTS = (
    "page",
    "manifest",
    "commit",
    "statement",
    "checkpoint",
    "publish",
    "copy",
    "remove",
    "close",
)
"""Kinds of moment at which something becomes durable, or is about to."""

_EVENT_WEIGHTS = (8, 5, 8, 6, 2, 6, 2, 2, 1)


@dataclass(frozen=True)
class Kill:
    """Death at the n-th moment of a kind, `after` it or before; by kind `request` at the n-th request instead, and by
    kind `time` after so many hundredths of a second."""

    event: str
    number: int
    after: bool

    def __str__(self) -> str:
        return f"killed {'after' if self.after else 'before'} {self.event} {self.number}"


@dataclass(frozen=True)
class Night:
    """One run: the edits since the one before, the chance of edits before each request, faults, and maybe a kill.

    A night with `ids_of` is a backfill of some ids of that kind, one that `rebuilds` asks the API nothing; the others
    are the nightly, of all or `only` some.
    """

    hours: int
    edits_before: int
    edit_chance: float
    faults: tuple[Rule, ...]
    kill: Kill | None
    only: tuple[str, ...] = ()
    ids_of: str | None = None
    rebuilds: bool = False

    def __str__(self) -> str:
        kinds = [rule["effect"]["kind"] for rule in self.faults]
        what = f"backfill by {self.ids_of}" if self.ids_of else ", ".join(self.only) or "everything"
        what = "rebuild" if self.rebuilds else what
        return (
            f"{what} after {self.hours} h and {self.edits_before} edits, "
            f"edits before {self.edit_chance:.0%} of requests, faults {kinds}{f', {self.kill}' if self.kill else ''}"
        )


@dataclass(frozen=True)
class Scenario:
    """All that follows from a seed. Without a `ground_run` the first night is the first run ever.

    `plain_plans` spares DuckDB its optimizer: tables are so small that planning is most of what a run costs.
    """

    seed: int
    kind: str
    ground: int
    ground_run: bool
    page_limit: int
    concurrency: int
    delete_limit: float
    order: str
    signed_links: bool
    documents_allowed: bool
    explicit_statuses: bool
    keep_days: int
    plain_plans: bool
    nights: tuple[Night, ...]
    quiet_twice: bool
    rebuild: bool

    @classmethod
    def of(cls, seed: int, kind: str) -> Scenario:
        """The scenario of a seed, `process` or `kill` by kind of run."""
        dice = Random(f"scenario {seed}")
        ground_run = dice.random() < 0.8
        signed_links = ground_run and dice.random() < 0.3
        order = dice.choices(("stable", "drifting", "shuffled"), (7, 2, 1))[0]
        return cls(
            seed=seed,
            kind=kind,
            ground=dice.randrange(GROUNDS),
            ground_run=ground_run,
            page_limit=dice.randint(4, 15),
            concurrency=dice.choices((1, 2, 4), (8, 1, 1))[0],
            delete_limit=dice.choices((1.0, 0.5, 0.2, 0.02), (3, 3, 1, 2))[0],
            order=order,
            signed_links=signed_links,
            documents_allowed=dice.random() < 0.8,
            explicit_statuses=dice.random() < 0.5,
            keep_days=dice.choice((1, 3, 30)),
            plain_plans=dice.random() < 0.6,
            nights=_nights(dice, kind),
            quiet_twice=seed % 5 == 0,
            rebuild=seed % 6 == 0,
        )

    def settings(self, base_url: str, token: str, home: object) -> dict[str, str]:
        """The environment of a run."""
        environ = {
            "PROPSYNC_BASE_URL": base_url,
            "PROPSYNC_TOKEN": token,
            "PROPSYNC_HOME": str(home),
            "PROPSYNC_ARCHIVE_KINDS": "none",
            "PROPSYNC_PAGE_LIMIT": str(self.page_limit),
            "PROPSYNC_MAX_CONCURRENCY": str(self.concurrency),
            "PROPSYNC_DELETE_LIMIT": str(self.delete_limit),
            "PROPSYNC_LANDING_KEEP_DAYS": str(self.keep_days),
        }
        if self.explicit_statuses:
            environ["PROPSYNC_ASSESSMENT_STATUSES"] = ",".join(ASKED["assessments"])
            environ["PROPSYNC_SCHEDULE_STATUSES"] = ",".join(ASKED["schedules"])
        return environ

    def __str__(self) -> str:
        words = [
            f"ground {self.ground}{' synced before' if self.ground_run else ''}",
            f"page limit {self.page_limit}",
            f"concurrency {self.concurrency}",
            f"delete limit {self.delete_limit:g}",
            f"order {self.order}",
            f"landing kept {self.keep_days} d",
            *(["signed links"] if self.signed_links else []),
            *([] if self.documents_allowed else ["no right to documents"]),
            *(["plain plans"] if self.plain_plans else []),
            *(["statuses set"] if self.explicit_statuses else []),
        ]
        nights = [f"  night {number}: {night}" for number, night in enumerate(self.nights, 1)]
        return "\n".join(["  " + ", ".join(words), *nights])


def _nights(dice: Random, kind: str) -> tuple[Night, ...]:
    """One to three, and sometimes a backfill or a rebuild after one of them."""
    nights = [_night(dice, kind) for _ in range(dice.choices((1, 2, 3), (5, 4, 1))[0])]
    if dice.random() < 0.15:
        nights.insert(dice.randint(1, len(nights)), replace(_night(dice, kind), only=(), ids_of=dice.choice(SCOPES)))
    elif dice.random() < 0.1:
        nights.insert(dice.randint(1, len(nights)), replace(_night(dice, kind), only=(), rebuilds=True))
    return tuple(nights)


def _night(dice: Random, kind: str) -> Night:
    return Night(
        hours=dice.choice((12, 24, 24, 100, 1000)),
        edits_before=dice.choice((0, 3, 8, 15)),
        edit_chance=dice.choices((0.0, 0.02, 0.1, 0.5), (10, 8, 5, 1))[0],
        faults=draw_faults(dice),
        kill=_kill(dice, kind),
        only=(dice.choice(tuple(RESOURCES)),) if dice.random() < 0.08 else (),
    )


def _kill(dice: Random, kind: str) -> Kill | None:
    if dice.random() < (0.45 if kind == "process" else 0.2):
        return None
    events: tuple[str, ...] = EVENTS
    weights: tuple[int, ...] = _EVENT_WEIGHTS
    if kind == "kill":  # only another process can be killed from outside
        events, weights = (*events, "request", "time"), (*weights, 8, 4)
    event = dice.choices(events, weights)[0]
    return Kill(event, 1 + int(dice.random() ** 1.5 * _MOST[event]), dice.random() < 0.5)


# moments of each kind in a run, roughly
_MOST = {"page": 12, "manifest": 5, "commit": 14, "statement": 2, "checkpoint": 2, "publish": 25, "copy": 2}
_MOST |= {"remove": 4, "close": 1, "request": 60, "time": 150}
