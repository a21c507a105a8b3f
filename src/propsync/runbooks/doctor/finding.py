"""What `propsync doctor` finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One check: its subject, whether it is well, its observation, and the next step if it is not."""

    what: str
    is_well: bool
    seen: str
    next_step: str = ""
