"""Where a run works: home and its folders, the lock, the state database, the API."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from propsync.api import Api, RetryPolicy, TokenSource
from propsync.errors import SettingsError
from propsync.landing import Bases, Manifests, PageStore
from propsync.merge import Merger, ShapeStore
from propsync.publish import Publisher
from propsync.resources import Catalogue, Definition, catalogue_of
from propsync.runs import Journal, RunLock
from propsync.settings import Settings
from propsync.storage import LocalStorage, remove, remove_partials
from propsync.warehouse import Warehouse

WAREHOUSE = "warehouse.duckdb"


@dataclass
class Workspace:
    """Everything that a run's steps share; open only while the lock is held."""

    settings: Settings
    work: Path
    warehouse: Warehouse
    storage: LocalStorage
    pages: PageStore
    manifests: Manifests
    bases: Bases
    journal: Journal
    shapes: ShapeStore
    merger: Merger
    publisher: Publisher
    connection: Api | None = None

    @property
    def catalogue(self) -> Catalogue:
        """The resources of this copy."""
        return self.warehouse.catalogue

    @property
    def api(self) -> Api:
        """The API; only a site that was opened without it has none."""
        assert self.connection is not None, "this run sends no request to the API"
        return self.connection

    @classmethod
    @contextmanager
    def opened(cls, settings: Settings, what: str, policy: RetryPolicy | None = None) -> Iterator[Workspace]:
        """The site, under the lock. Raises SettingsError, Busy, StateUnusable, HomeUnusable, DiskFull."""
        access = settings.require_api()
        with workplace(settings, what) as work:
            source = TokenSource(access.token.get_secret_value(), access.token_file, access.variable)
            with (
                Api(access.base_url, source, max_concurrency=settings.max_concurrency, policy=policy) as api,
                cls.offline(settings, work, settings.state / WAREHOUSE) as workspace,
            ):
                workspace.connection = api
                yield workspace

    @classmethod
    @contextmanager
    def offline(
        cls, settings: Settings, work: Path, database: Path, catalogue: Catalogue | None = None
    ) -> Iterator[Workspace]:
        """The site with `database` as its state and without the API, inside a `workplace`."""
        known = catalogue or configured_catalogue(settings)
        with Warehouse(database, memory_limit=settings.memory_limit, folder=work, catalogue=known) as warehouse:
            yield cls._of(settings, warehouse, work)

    @classmethod
    def _of(cls, settings: Settings, warehouse: Warehouse, work: Path) -> Workspace:
        storage = LocalStorage(settings.home)
        pages, journal = PageStore(storage), Journal(warehouse)
        shapes = ShapeStore(warehouse, settings.shapes)
        return cls(
            settings=settings,
            work=work,
            warehouse=warehouse,
            storage=storage,
            pages=pages,
            manifests=Manifests(storage),
            bases=Bases(storage),
            journal=journal,
            shapes=shapes,
            merger=Merger(warehouse, pages, journal, shapes),
            publisher=Publisher(settings.published, work, settings.memory_limit, settings.time_zone),
        )


def configured_catalogue(settings: Settings) -> Catalogue:
    """The built-in resources and the lists under `[resources]`. Raises SettingsError for a path read already."""
    return catalogue_of({name: Definition(**written) for name, written in settings.resources.items()})


@contextmanager
def workplace(settings: Settings, what: str) -> Iterator[Path]:
    """Holds the lock on home; the folder for unfinished files, in which nothing is left of killed runs.

    Raises SettingsError, Busy, HomeUnusable.
    """
    make_home(settings)
    with RunLock(settings.state / "run.lock").held(what, settings.lock_wait):
        for folder in (settings.landing, settings.published, settings.state):
            remove_partials(folder)
        yield _work_folder(settings.state / "work")


def make_home(settings: Settings) -> None:
    """Makes home and its folders with the modes that keep state private. Raises SettingsError where it cannot."""
    private, open_to_all = (settings.state, settings.landing, settings.home / "archive"), settings.published
    modes = {settings.home: 0o711, **dict.fromkeys(private, 0o700), open_to_all: 0o755}
    for folder, mode in modes.items():
        try:
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            if is_new or folder.owner() == settings.home.owner():
                folder.chmod(mode)
        except OSError as error:
            raise SettingsError(
                "PROPSYNC_HOME",
                f"{folder} cannot be written: {error.strerror}",
                "Set PROPSYNC_HOME to a folder that you can write to",
            ) from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise SettingsError(
                "PROPSYNC_HOME", f"{folder} cannot be written", "Set PROPSYNC_HOME to a folder that you can write to"
            )


def _work_folder(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for leftover in folder.iterdir():
        if leftover.name.startswith("duckdb_temp"):
            remove(leftover)
    return folder
