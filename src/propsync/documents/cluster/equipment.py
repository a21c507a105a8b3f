"""The equipment of a worker: a client of the API, the bucket, and a reader of documents. It knows nothing of Dask."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from propsync.api import Api, RetryPolicy, TokenSource
from propsync.documents.blobs import Blobs
from propsync.documents.bucket_blobs import BucketBlobs
from propsync.documents.budget import Budget
from propsync.documents.cluster.order import BatchResult, Failure, Order
from propsync.documents.fetcher import Fetcher
from propsync.documents.inspect import DocumentReader
from propsync.documents.worker.client import WorkerPool
from propsync.documents.zips.bundle import Bounds
from propsync.errors import PropsyncError
from propsync.settings import Settings, load_settings
from propsync.storage import LocalStorage

_MOST_GB = 1e9  # no disk has more, and larger numbers overflow


def bounds_of(settings: Settings) -> Bounds:
    """The limits for reading a ZIP."""
    return Bounds(
        members=settings.archive_max_members,
        ratio=settings.archive_max_ratio,
        unpacked_bytes=int(min(settings.archive_max_unpacked_gb, _MOST_GB) * 1e9),
    )


class Equipment:
    """Fetches one batch at a time, with the settings `given` by the run over those of this machine.

    `folder` is for files under way. Raises SettingsError if this machine has no token, or no keys of the bucket.
    """

    def __init__(self, given: Mapping[str, Any], folder: Path, policy: RetryPolicy | None = None) -> None:
        settings = load_settings().model_copy(update=dict(given))
        access, bucket = settings.require_api(), settings.storage_at(settings.storage_url or "")
        from propsync.storage.objects import ObjectStorage

        self._partial = folder / "archive" / "partial"
        self._partial.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._blobs: Blobs = BucketBlobs(LocalStorage(folder), ObjectStorage(bucket), self._partial)
        self._api = Api(access.base_url, TokenSource.of(access), policy=policy)
        self._pdf = WorkerPool()
        self._reader = DocumentReader(bounds_of(settings), self._pdf, self._partial)
        self._with_text = settings.archive_text

    def close(self) -> None:
        """Closes connections, and ends the processes that read documents."""
        self._api.close()
        self._blobs.close()
        self._pdf.close()

    def fetch(self, order: Order) -> BatchResult:
        """Fetches, checks and stores a batch; every document of the result is in the bucket for good."""
        before, crowdings = self._api.traffic.mark(), self._api.crowdings
        self._api.begin_at(order.share.start, order.share.most)
        budget = Budget(
            self._partial,
            lambda: self._api.traffic.since(before).bytes,
            most_bytes=order.most_bytes,
            seconds=order.seconds if order.seconds < math.inf else 1e9,
        )
        fetcher = Fetcher(self._api, self._blobs, self._reader, self._partial, budget, with_text=self._with_text)
        result = BatchResult()
        try:
            for _ in fetcher.fetch(order.wanted, result.taken.append):
                pass
        except PropsyncError as error:
            result.failure = Failure.of(error)
        result.ended, result.lacks_room = budget.reason(), budget.lacks_room
        result.contents = dict(fetcher.contents)
        result.forbidden, result.of_quotas = fetcher.forbidden, fetcher.of_quotas
        result.traffic = self._api.traffic.since(before)
        result.learnt, result.is_crowded = self._api.concurrency, self._api.crowdings > crowdings
        return result
