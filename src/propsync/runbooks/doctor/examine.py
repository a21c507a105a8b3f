"""Finds what could stop a run before the night does, and shows the shapes of the API's answers."""

from __future__ import annotations

from collections.abc import Iterator

from propsync.api import Api, RetryPolicy, TokenSource
from propsync.errors import UsageError
from propsync.runbooks.doctor.answers import examine_answers
from propsync.runbooks.doctor.bucket import examine_bucket
from propsync.runbooks.doctor.finding import Finding
from propsync.runbooks.doctor.home import examine_archive, examine_at_work, examine_places, examine_state
from propsync.runbooks.doctor.lists import examine_desk, examine_lists, examine_unnamed_lists
from propsync.runbooks.doctor.privacy import examine_labels, examine_lines
from propsync.runbooks.workplace import check_delta, make_home
from propsync.settings import Settings, nearest_variable


def examine(settings: Settings) -> Iterator[Finding]:
    """Runs one check after another. Raises SettingsError if none can run; UsageError at the end, if it cannot read the
    published file.
    """
    access = settings.require_api()
    yield Finding("settings", True, f"{access.base_url} ({settings.source('base_url')}), home {settings.home}")
    for name in settings.unrecognised:
        meant = nearest_variable(name)
        step = f"Did you mean {meant}? Correct its name, or unset it" if meant else "Correct its name, or unset it"
        yield Finding("settings", False, f"{name} is not a setting", step)
    check_delta(settings)
    bucket = settings.storage()
    make_home(settings)
    unread: list[UsageError] = []
    yield from examine_places(settings)
    yield from _readable(examine_state(settings), unread)
    yield from examine_at_work(settings)
    yield from examine_bucket(settings, bucket)
    yield from examine_archive(settings)
    for examined in (examine_lists, examine_unnamed_lists, examine_desk, examine_lines, examine_labels):
        yield from _readable(examined(settings), unread)
    with Api(access.base_url, TokenSource.of(access), max_concurrency=2, policy=RetryPolicy(attempts=2)) as api:
        yield from examine_answers(settings, api)
    if unread:
        raise unread[0]


def _readable(findings: Iterator[Finding], unread: list[UsageError]) -> Iterator[Finding]:
    """These findings, up to one for which the published file cannot be read; that error goes to `unread`."""
    try:
        yield from findings
    except UsageError as error:
        unread.append(error)
