"""The only user of Dask: batches go to its workers, and come back as they end."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from distributed import Client, KilledWorker, WorkerPlugin, get_worker

from propsync import __version__, log
from propsync.api import RetryPolicy
from propsync.documents.cluster.equipment import Equipment
from propsync.documents.cluster.order import BatchResult, Failure, Order
from propsync.errors import ClusterUnfit, PropsyncError

_CONNECT_SECONDS = 20
_ALONE_SECONDS = 120.0  # without any worker, before the run gives up
_LOOK_SECONDS = 1.0


class Benches(WorkerPlugin):
    """The equipment of one worker: each of its threads takes one for a batch, and puts it back."""

    def __init__(self, given: Mapping[str, Any], policy: RetryPolicy | None, version: str = __version__) -> None:
        self._given, self._policy, self._version = given, policy, version

    def setup(self, worker: Any) -> None:
        """Makes room for files; a worker without token or keys says so at its first batch."""
        log.guard_records()  # this process has the token, and Dask's own handlers
        self._folder = Path(tempfile.mkdtemp(prefix="propsync-", dir=worker.local_directory))
        self._idle: list[Equipment] = []
        self._lock = threading.Lock()
        self._count = 0

    def teardown(self, worker: Any) -> None:  # noqa: ARG002 - Dask's signature
        """Ends everything that a run began here."""
        with self._lock:
            idle, self._idle = self._idle, []
        for one in idle:
            one.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def fetch(self, order: Order) -> BatchResult:
        """Fetches a batch with equipment that no other batch uses."""
        if self._version != __version__:
            raise ClusterUnfit("the worker", f"it has propsync {__version__}, and the run has {self._version}")
        equipment = self._taken()
        try:
            return equipment.fetch(order)
        finally:
            with self._lock:
                self._idle.append(equipment)

    def _taken(self) -> Equipment:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            self._count += 1
            folder = self._folder / str(self._count)
        return Equipment(self._given, folder, self._policy)


def _fetched(name: str, order: Order) -> BatchResult:
    """The task: runs on a worker. Errors come back as values, so that no traceback holds more than they say."""
    worker: Any = get_worker()
    try:
        result: BatchResult = worker.plugins[name].fetch(order)
    except PropsyncError as error:
        failure = Failure.of(error)
        return BatchResult(
            failure=Failure(failure.kind, f"{worker.address}: {failure.where}", failure.what, failure.next_step)
        )
    return result


class Cluster:
    """A Dask scheduler and its workers, as one run uses them."""

    def __init__(self, client: Any, address: str, name: str) -> None:
        self._client, self._address, self._name = client, address, name
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._orders: dict[Any, Order] = {}
        self._alone = 0.0

    @classmethod
    @contextmanager
    def opened(cls, address: str, given: Mapping[str, Any], policy: RetryPolicy | None = None) -> Iterator[Cluster]:
        """The cluster, with the run's settings at every worker, also at those that join later. Raises ClusterUnfit."""
        name = f"propsync-{secrets.token_hex(8)}"
        try:
            client: Any = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterUnfit(address, f"no Dask scheduler answers there ({log.redact(str(error))})") from None
        with client:
            try:
                client.register_plugin(Benches(given, policy), name=name)
            except Exception as error:  # noqa: BLE001 - whatever a worker raises
                what = f"a worker cannot take propsync's settings ({type(error).__name__}: {log.redact(str(error))})"
                raise ClusterUnfit(address, what, "Install the same propsync[dask] on each worker") from None
            try:
                yield cls(client, address, name)
            finally:
                with suppress(OSError, TimeoutError, ValueError):
                    client.unregister_worker_plugin(name)

    @property
    def workers(self) -> int:
        """How many workers there are now. Raises ClusterUnfit if the scheduler is gone."""
        try:
            return len(self._client.nthreads())
        except (OSError, TimeoutError) as error:
            raise ClusterUnfit(self._address, f"the scheduler is gone ({log.redact(str(error))})") from None

    def send(self, order: Order) -> None:
        """Sends a batch; Dask repeats it elsewhere if its worker dies."""
        future = self._client.submit(_fetched, self._name, order, pure=False, retries=0)
        self._orders[future] = order
        future.add_done_callback(self._done.put)

    def next(self) -> tuple[Order, BatchResult]:
        """The next batch that ends. Raises ClusterUnfit if none can."""
        while True:
            try:
                future = self._done.get(timeout=_LOOK_SECONDS)
            except Empty:
                self._refuse_to_wait_for_nobody()
                continue
            return self._orders.pop(future), self._result(future)

    def _result(self, future: Any) -> BatchResult:
        try:
            result: BatchResult = future.result()
        except KilledWorker:
            what = "a batch of documents killed several workers, one after the other"
            raise ClusterUnfit(self._address, what, "Give the workers more memory, or look at their logs") from None
        except Exception as error:  # noqa: BLE001 - whatever Dask or a worker raises
            what = f"a batch of documents failed ({type(error).__name__}: {log.redact(str(error))})"
            raise ClusterUnfit(self._address, what) from None
        return result

    def _refuse_to_wait_for_nobody(self) -> None:
        self._alone = 0.0 if self.workers else self._alone + _LOOK_SECONDS
        if self._alone >= _ALONE_SECONDS:
            raise ClusterUnfit(self._address, "no worker has been there for two minutes")
