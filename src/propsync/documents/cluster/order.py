"""A batch of documents on its way to a worker, and the answer; neither has a secret in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from propsync import errors
from propsync.api import TrafficMark
from propsync.documents.fetch_log import Fetched
from propsync.documents.inspect import Content
from propsync.documents.ledger import WantedDocument
from propsync.errors import ClusterUnfit, PropsyncError
from propsync.settings import Settings

_GIVEN = (
    *("base_url", "storage_url", "storage_identity", "archive_text"),
    *("archive_max_members", "archive_max_ratio", "archive_max_unpacked_gb"),
)


def given_settings(settings: Settings) -> dict[str, Any]:
    """The settings that a worker gets from the run; it reads token and keys from its own environment."""
    return {name: getattr(settings, name) for name in _GIVEN}


@dataclass(frozen=True)
class Share:
    """The part of the learnt concurrency that a batch gets: where it starts, and how far it may grow."""

    start: int
    most: int
    ticket: int


@dataclass(frozen=True)
class Order:
    """Documents to fetch, within a share of the requests and of the budget: bytes, and seconds from its start."""

    wanted: tuple[WantedDocument, ...]
    share: Share
    most_bytes: float
    seconds: float


@dataclass(frozen=True)
class Failure:
    """An error as plain values: those of other processes lose theirs on the way."""

    kind: str
    where: str
    what: str
    next_step: str

    @classmethod
    def of(cls, error: PropsyncError) -> Failure:
        """The values of an error."""
        return cls(type(error).__name__, error.where, error.what, error.next_step)

    def error(self) -> PropsyncError:
        """The error again; one that only a worker's settings can cause is about the cluster."""
        kind = getattr(errors, self.kind, ClusterUnfit)
        is_of_run = issubclass(kind, errors.StopRun | errors.ApiUnreachable)
        made: PropsyncError = (kind if is_of_run else ClusterUnfit)(self.where, self.what, self.next_step)
        return made


@dataclass
class BatchResult:
    """The answer: results (fewer than ordered if `ended` or `failure` says why), contents by hash, and the evidence.

    `forbidden` are kinds that the API refuses, those `of_quotas` because a quota is spent. `learnt` is the concurrency
    at the end. `lacks_room` says that the disk of the worker ended it.
    """

    taken: list[Fetched] = field(default_factory=list)
    contents: dict[str, Content] = field(default_factory=dict)
    forbidden: Mapping[str, str] = field(default_factory=dict)
    of_quotas: Collection[str] = ()
    traffic: TrafficMark = field(default_factory=TrafficMark)
    learnt: int = 1
    is_crowded: bool = False
    ended: str | None = None
    lacks_room: bool = False
    failure: Failure | None = None
