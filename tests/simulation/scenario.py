"""The contents of a seed: a ground, settings, and nights with their edits, faults and kills. Nothing else is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from .archives import Archive, among_documents
from .buckets import BucketLife, among_buckets
from .erasures import Erasing, draw_erasure
from .further import FurtherList, among_further
from .ground import GROUNDS
from .hints import Hinting, draw_hints
from .liars import among_liars
from .nights import Night, draw_nights
from .pushes import Push, draw_pushes
from .statuses import ASKED


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
    archive: Archive | None
    further: FurtherList | None
    nights: tuple[Night, ...]
    pushes: tuple[Push, ...]
    hints: tuple[Hinting, ...]
    quiet_twice: bool
    rebuild: bool
    erasing: Erasing | None = None
    bucket: BucketLife | None = None

    @classmethod
    def of(cls, seed: int, kind: str) -> Scenario:
        """The scenario of a seed, `process` or `kill` by kind of run, or `bucket` or `bucket-kill`."""
        has_bucket, kind = kind.startswith("bucket"), "kill" if kind.endswith("kill") else "process"
        dice = Random(f"scenario {seed}")
        ground_run = dice.random() < 0.8
        signed_links = ground_run and dice.random() < 0.3
        archive = Archive.of(seed)
        order = dice.choices(("stable", "drifting", "shuffled"), (7, 2, 1))[0]
        further = FurtherList.of(seed, order)
        found = cls(
            seed=seed,
            kind=kind,
            ground=dice.randrange(GROUNDS),
            ground_run=ground_run,
            page_limit=_page_limit(dice.randint(4, 15), further),
            concurrency=dice.choices((1, 2, 4), (8, 1, 1))[0],
            delete_limit=dice.choices((1.0, 0.5, 0.2, 0.02), (3, 3, 1, 2))[0],
            order=order,
            signed_links=signed_links,
            documents_allowed=dice.random() < 0.8 or (archive is not None and "report" in archive.kinds),
            explicit_statuses=dice.random() < 0.5,
            keep_days=dice.choice((1, 3, 30)),
            plain_plans=dice.random() < 0.6,
            archive=archive,
            further=further,
            nights=(nights := _nights(seed, archive, further, draw_nights(dice, kind), kind)),
            pushes=draw_pushes(seed, kind, len(nights)),
            hints=draw_hints(seed, "bucket" if has_bucket else kind, len(nights)),
            quiet_twice=seed % 5 == 0,
            rebuild=seed % 6 == 0 or (further is not None and further.rebuild),
        )
        found = found._in_bucket() if has_bucket else found
        full_kind = f"{'bucket-' if has_bucket else ''}{kind}"
        erasing = draw_erasure(seed, full_kind, len(found.nights))
        return replace(found, erasing=erasing)

    def _in_bucket(self) -> Scenario:
        life = BucketLife.of(self.seed, len(self.nights), has_pushes=bool(self.pushes))
        return replace(self, bucket=life, nights=among_buckets(self.seed, self.nights))

    def settings(self, base_url: str, token: str, home: object) -> dict[str, str]:
        """The environment of a run."""
        environ = {
            "PROPSYNC_BASE_URL": base_url,
            "PROPSYNC_TOKEN": token,
            "PROPSYNC_HOME": str(home),
            "PROPSYNC_PAGE_LIMIT": str(self.page_limit),
            "PROPSYNC_MAX_CONCURRENCY": str(self.concurrency),
            "PROPSYNC_DELETE_LIMIT": str(self.delete_limit),
            "PROPSYNC_LANDING_KEEP_DAYS": str(self.keep_days),
        }
        environ |= self.archive.settings() if self.archive else {"PROPSYNC_ARCHIVE_KINDS": "none"}
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
            *([str(self.archive)] if self.archive else []),
            *([str(self.further)] if self.further else []),
            *([f"home in a bucket: {self.bucket}"] if self.bucket else []),
        ]
        nights = [f"  night {number}: {night}" for number, night in enumerate(self.nights, 1)]
        erasing = [str(self.erasing)] if self.erasing else []
        return "\n".join(["  " + ", ".join(words), *nights, *map(str, self.pushes), *map(str, self.hints), *erasing])


def _nights(
    seed: int, archive: Archive | None, further: FurtherList | None, nights: tuple[Night, ...], kind: str
) -> tuple[Night, ...]:
    """The nights, layer by layer; each layer has dice of its own."""
    return among_further(seed, further, among_liars(seed, among_documents(seed, kind, archive, nights)))


def _page_limit(drawn: int, further: FurtherList | None) -> int:
    return (further and further.page_limit) or drawn
