"""The task of a run, and its end as its starter knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Self

from .buckets import Weather
from .nights import Kill


@dataclass(frozen=True)
class Order:
    """One run: when it thinks it is, what it is to do, and when it dies.

    With a `scope` it is a backfill, with `rebuild` a rebuild, with `documents` that run on documents, else the nightly.
    With `push` it applies the plan at that path, with `hints` it reads what posts name. With `erase` it erases that, or
    `resumes` an erasure, or lets one come back with `forget`.
    """

    environ: Mapping[str, str]
    now: datetime
    kill: Kill | None = None
    only: tuple[str, ...] = ()
    accept: str | None = None
    scope: Mapping[str, tuple[str, ...]] | None = None
    rebuild: bool = False
    plain_plans: bool = False
    documents: str = ""
    is_list_named: bool = True
    push: str = ""
    hints: bool = False
    weather: Weather | None = None
    erase: Mapping[str, str] | None = None
    resumes: bool = False
    forget: str = ""

    @property
    def erases(self) -> bool:
        """Whether it is about an erasure, and asks no server."""
        return self.erase is not None or self.resumes or bool(self.forget)

    @property
    def asks_for_documents(self) -> bool:
        """Whether it works on documents too, if they are archived and its tables are published."""
        is_nightly = self.scope is None and not self.rebuild and not (self.push or self.hints or self.erases)
        return bool(self.documents) or (is_nightly and (not self.only or "assessments" in self.only))

    def to_json(self) -> dict[str, Any]:
        """For another process."""
        return asdict(self) | {"now": self.now.isoformat()}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """As `to_json` gave it."""
        scope = {name: tuple(ids) for name, ids in told["scope"].items()} if told["scope"] else None
        kill = Kill(**told["kill"]) if told["kill"] else None
        now, weather = datetime.fromisoformat(told["now"]), Weather.from_json(told["weather"])
        return cls(
            **(dict(told) | {"now": now, "kill": kill, "only": tuple(told["only"]), "scope": scope, "weather": weather})
        )


@dataclass
class Outcome:
    """`exit_code` is None for a run that was killed or that ended with an `error` which no report tells.

    Only a verification that came to its end reports `lost` files.
    """

    exit_code: int | None
    run_id: str | None = None
    held: int = 0
    left_behind: list[str] = field(default_factory=list)
    killed: bool = False
    error: str | None = None
    resources: dict[str, str] = field(default_factory=dict)
    lost: int | None = None

    @classmethod
    def of(cls, report: Any) -> Self:
        """How a run ended that came to its end."""
        held = sum(int(counts.get("held") or 0) for counts in report.resources.values())
        verdicts = {name: str(counts.get("verdict")) for name, counts in report.resources.items()}
        return cls(report.exit_code, report.run_id, held, list(report.left_behind), resources=verdicts)
