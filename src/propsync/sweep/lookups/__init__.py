"""Looks up known keys that a complete read no longer lists (docs/completeness.md)."""

from propsync.sweep.lookups.batches import Answers, Key
from propsync.sweep.lookups.look_ups import LookUps

__all__ = ["Answers", "Key", "LookUps"]
