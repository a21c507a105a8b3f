"""Opens the workspace of a run that asks the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from propsync.api import Api, RetryPolicy, TokenSource
from propsync.runbooks.hiding import settle_hiding
from propsync.runbooks.workplace import workplace
from propsync.runbooks.workspace import WAREHOUSE, Workspace
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import Suppression


@contextmanager
def opened_workspace(settings: Settings, what: str, policy: RetryPolicy | None = None) -> Iterator[Workspace]:
    """The site with the API, under the lock. Raises SettingsError, Busy, StateUnusable, HomeUnusable, DiskFull."""
    access = settings.require_api()
    with workplace(settings, what) as place:
        settle_hiding(settings, place)
        suppression = Suppression.of(LocalStorage(settings.home))
        with (
            Api(
                access.base_url,
                TokenSource.of(access),
                max_concurrency=settings.max_concurrency,
                policy=policy,
                revise=suppression.json if suppression else None,
            ) as api,
            Workspace.offline(settings, place, settings.state / WAREHOUSE) as workspace,
        ):
            workspace.connection = api
            yield workspace
