"""What became of one record of a plan."""

from __future__ import annotations

from typing import Any

import msgspec

APPLIED, VERIFIED, FAILED, SKIPPED, PARKED = "applied", "verified", "failed", "skipped", "parked"
CHANGED, GONE, EXISTS, UNSURE, STORED_OTHERWISE = "ChangedMeanwhile", "Gone", "Exists", "Unsure", "StoredOtherwise"
ALREADY, GIVEN_UP, MADE_TWICE, ELSEWHERE = "Already", "GivenUp", "MadeTwice", "Elsewhere"
OTHERS_CHANGED = "OthersChanged"
"""Reasons that are not the API's own codes."""


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state of a record (`ops.writes.state`), the reason, and the step that helps.

    `at` is when the API answered, in ISO 8601; it is None if propsync sent nothing. `asset_id` is that of a new asset;
    if a person must look, of the one that it may be. `before` has the members of a deleted schedule. An outcome that is
    not `is_final` leaves the record to the next `apply`. `said` are the words of the API's refusal, which may repeat
    values: no journal and no table has them.
    """

    state: str
    code: str | None = None
    reason: str | None = None
    step: str | None = None
    at: str | None = None
    asset_id: str | None = None
    before: dict[str, Any] | None = None
    is_final: bool = True
    said: str | None = None

    @property
    def message(self) -> str | None:
        """The reason and the step, as `ops.writes.message` and a report have them."""
        return ". ".join(filter(None, (self.reason, self.step))) or None

    @property
    def is_written(self) -> bool:
        """Whether the API has it."""
        return self.state in (APPLIED, VERIFIED)
