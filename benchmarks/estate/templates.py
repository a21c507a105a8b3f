"""A record as a row of pools of JSON snippets: to make one, pick from each and join them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.estate.dice import mixed, uid

POOL = 1024
_MASK = POOL - 1
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
Pool = tuple[bytes, ...]


def as_json(value: object) -> bytes:
    """Compact, in UTF-8."""
    return _ENCODER.encode(value).encode()


def pool(rng: Random, made: Callable[[Random], bytes]) -> Pool:
    """That many snippets from one function."""
    return tuple(made(rng) for _ in range(POOL))


def always(snippet: bytes) -> Pool:
    """The same snippet whatever is picked."""
    return (snippet,) * POOL


def uid_pools(rng: Random) -> tuple[Pool, Pool]:
    """Two halves of ids; together they make a million different ones."""
    halves = [[uid(mixed(rng.getrandbits(64)))[:11] for _ in range(POOL)] for _ in range(2)]
    return tuple(halves[0]), tuple(halves[1])


@dataclass(frozen=True)
class Template:
    """Pools, how to pick from each, and the pools that an edit may change (their snippets differ from each other)."""

    picks: tuple[tuple[Pool, int], ...]
    editable: tuple[int, ...]

    @classmethod
    def of(cls, rng: Random, pools: Sequence[Pool], editable: Sequence[int]) -> "Template":
        """Picks from each pool by different bits of a record's number."""
        picks = tuple((one, rng.getrandbits(64) | 1) for one in pools)
        return cls(picks, tuple(editable))

    def render(self, number: int, edit: int = 0) -> bytes:
        """The record of a number; an edit makes it differ in one place from its earlier form, and from any other
        edit.
        """
        snippets = [one[number * factor >> 32 & _MASK] for one, factor in self.picks]
        if edit:
            place = self.editable[(number + edit) % len(self.editable)]
            one, factor = self.picks[place]
            snippets[place] = one[(number * factor >> 32) + edit & _MASK]
        return b"".join(snippets)
