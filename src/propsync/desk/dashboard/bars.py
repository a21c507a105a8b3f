"""Bars of the page's charts: where each part stands, in the units of an SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HEIGHT = 64
_WIDTH = 18
_GAP = 6
_SIDE = 10
_LETTERS = 14


@dataclass(frozen=True)
class Heights:
    """What a bar shows: `label` in words, its parts from the bottom, and a few letters below and above it."""

    label: str
    parts: Mapping[str, float]
    below: str = ""
    above: str = ""


@dataclass(frozen=True)
class Part:
    """One part of a bar; `kind` is the class that gives it its colour."""

    kind: str
    y: float
    height: float


@dataclass(frozen=True)
class Bar:
    """One bar. A bar without parts means that nothing is known."""

    x: int
    label: str
    parts: Sequence[Part]
    below: str
    above: str

    @property
    def middle(self) -> int:
        """Where its letters stand."""
        return self.x + _WIDTH // 2

    @property
    def top(self) -> float:
        """Where its highest part ends."""
        return min((part.y for part in self.parts), default=float(HEIGHT))


@dataclass(frozen=True)
class Chart:
    """Bars from left to right."""

    bars: Sequence[Bar]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Its left and upper edge, its width and height: letters stand beside the bars, below, and perhaps above."""
        above = _LETTERS if any(bar.above for bar in self.bars) else 0
        return -_SIDE, -above, len(self.bars) * (_WIDTH + _GAP) + 2 * _SIDE - _GAP, HEIGHT + above + _LETTERS

    @property
    def bar_width(self) -> int:
        """Of one bar."""
        return _WIDTH


def chart(bars: Sequence[Heights], top: float) -> Chart:
    """A chart; a bar of `top` takes the whole height."""
    return Chart([_bar(place, one, top) for place, one in enumerate(bars)])


def _bar(place: int, heights: Heights, top: float) -> Bar:
    made, under = [], 0.0
    for kind, value in heights.parts.items():
        height = HEIGHT * value / top if top else 0.0
        under += height
        if height:
            made.append(Part(kind, round(HEIGHT - under, 1), round(height, 1)))
    return Bar(place * (_WIDTH + _GAP), heights.label, made, heights.below, heights.above)
