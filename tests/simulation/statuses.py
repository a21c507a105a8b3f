"""The statuses in play: those that are asked for, and one that nobody asks for."""

from __future__ import annotations

ASKED = {
    "assessments": ("inprogress", "submitted", "approved"),
    "schedules": ("notstarted", "inprogress"),
}
UNLISTED = "archived"
