"""Where a run works: home and its folders, the lock, the state database, the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from propsync.api import Api
from propsync.landing import Bases, Manifests, PageStore
from propsync.merge import Hiding, Merger, ShapeStore
from propsync.publish import DeltaOptions, Publisher
from propsync.resources import Catalogue, Definition, catalogue_of
from propsync.runbooks.workplace import Workplace
from propsync.runs import Journal
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.warehouse import Warehouse

WAREHOUSE = "warehouse.duckdb"


@dataclass
class Workspace:
    """Everything that a run's steps share; open only while the lock is held."""

    settings: Settings
    place: Workplace
    warehouse: Warehouse
    storage: LocalStorage
    pages: PageStore
    manifests: Manifests
    bases: Bases
    journal: Journal
    shapes: ShapeStore
    merger: Merger
    publisher: Publisher
    hiding: Hiding | None = None
    connection: Api | None = None

    @property
    def work(self) -> Path:
        """The folder for unfinished files."""
        return self.place.folder

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
    def offline(
        cls, settings: Settings, place: Workplace, database: Path, catalogue: Catalogue | None = None
    ) -> Iterator[Workspace]:
        """The site with `database` as its state and without the API, inside a `workplace`."""
        known = catalogue or configured_catalogue(settings)
        with Warehouse(
            database,
            memory_limit=settings.memory_limit,
            folder=place.folder,
            catalogue=known,
            threads=settings.threads,
        ) as warehouse:
            yield cls._of(settings, warehouse, place)

    @classmethod
    def _of(cls, settings: Settings, warehouse: Warehouse, place: Workplace) -> Workspace:
        storage = LocalStorage(settings.home)
        pages, journal = PageStore(storage), Journal(warehouse)
        shapes = ShapeStore(warehouse, settings.shapes)
        hiding = _hiding(settings, warehouse, journal)
        return cls(
            settings=settings,
            place=place,
            warehouse=warehouse,
            storage=storage,
            pages=pages,
            manifests=Manifests(storage),
            bases=Bases(storage),
            journal=journal,
            shapes=shapes,
            merger=Merger(warehouse, pages, journal, shapes, hiding),
            hiding=hiding,
            publisher=Publisher(
                settings.published,
                place.folder,
                settings.memory_limit,
                settings.time_zone,
                permit=place.check,
                delta=DeltaOptions(settings.delta, settings.delta_keep_days),
                restored_erasures=place.bucket.fetched_erasures if place.bucket else None,
            ),
        )


def _hiding(settings: Settings, warehouse: Warehouse, journal: Journal) -> Hiding | None:
    """The hidden parts of this state; a new state takes them from the settings."""
    found = Hiding.attached(warehouse, settings.privacy.hide)
    if found is None and journal.last_time() is None:
        return Hiding.begun(warehouse, settings.privacy.hide, settings.state)
    return found


def configured_catalogue(settings: Settings) -> Catalogue:
    """The built-in resources and the lists under `[resources]`. Raises SettingsError for a path read already."""
    return catalogue_of({name: Definition(**written) for name, written in settings.resources.items()})
