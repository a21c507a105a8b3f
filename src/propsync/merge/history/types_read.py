"""The answers behind a merge of types: a rebuild merges the same types night after night."""

from __future__ import annotations

from dataclasses import dataclass

from propsync.landing import Manifest
from propsync.records import Path
from propsync.shapes import Shape
from propsync.shapes.sampling import types_beside


@dataclass(frozen=True)
class TypesRead:
    """The answers with types, in the order of their requests, and how a merge reads them.

    If two merges that follow one another have equal ones, the second finds nothing new.
    """

    own: tuple[str, ...]
    beside: tuple[str | None, ...]
    verdict: str
    is_whole: bool
    paths: tuple[tuple[str, tuple[Path, ...]], ...]
    volatile: frozenset[str] | None

    @classmethod
    def of(cls, own: Manifest | None, beside: Manifest | None, shape: Shape, *, is_whole: bool) -> TypesRead:
        """Those of the types' own list and of the types beside records."""
        main = own or beside
        landed = sorted(own.landed if own else (), key=lambda one: one.asked_at)
        return cls(
            own=tuple(f"{one.role} {one.sha256}" for one in landed),
            beside=tuple(one.types_hash for one in types_beside(beside)) if beside else (),
            verdict=main.verdict if main else "",
            is_whole=is_whole,
            paths=tuple((part, choice.paths) for part, choice in sorted(shape.choices.items())),
            volatile=shape.volatile,
        )
