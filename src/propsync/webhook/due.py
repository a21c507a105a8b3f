"""Whether a hint is due, by the files of the receiver alone: no database, no lock."""

from __future__ import annotations

from datetime import datetime

from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox
from propsync.webhook.items import content_of
from propsync.webhook.next_look import NextLook

_MOST_FILES = 5_000
"""Files of posts that name nothing to read before a run puts them into tables nevertheless."""


def why_none_is_due(storage: LocalStorage, now: datetime, requests: int) -> str | None:
    """The reason why no hint is to be read now; None if one is. A day has `requests` for hints."""
    inbox, following = Inbox(storage), NextLook(storage)
    if following.spent(now, requests):
        return "today's requests for hints are used up (PROPSYNC_WEBHOOK_REQUESTS), so hints wait until tomorrow"
    look_at = following.at(now, requests)
    is_due = (look_at is not None and look_at <= now) or len(inbox.files()) > _MOST_FILES
    if is_due or any(content_of(post.body).subjects for post in inbox.posts()):
        return None
    return "no hint is due"
