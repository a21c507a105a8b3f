"""Runs in this process. A kill takes a copy of home at that instant, and the next run works with the copy."""

from __future__ import annotations

import os
import shutil
import traceback
from pathlib import Path
from random import Random

from propsync.api import RetryPolicy
from propsync.erasing.request import Request
from propsync.errors import PropsyncError, ResourceFailed, StopRun, TokenRefused, WriteForbidden
from propsync.push.plan import load_plan
from propsync.runbooks import ArchiveReport, Report, Scope, archive, backfill, erase, forget, night, read_hints, rebuild
from propsync.runbooks.archiving.verify import verify
from propsync.runbooks.archiving.verify_report import VerifyReport
from propsync.runbooks.push.apply import apply
from propsync.settings import Settings, load_settings

from . import buckets, clock, one_reader
from .folder_bucket import put_back
from .kills import Killed, install, moments
from .outcome import Order, Outcome

POLICY = RetryPolicy(attempts=4, budget=5.0, base=1e-6, rng=Random("waits").random)


Ended = Report | ArchiveReport | VerifyReport | Outcome


class Inside:
    """Runs nights of one home; `root` has room for the copy."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self._aside = root / "aside"
        install()
        buckets.install()
        clock.install()
        self._share()

    def _share(self) -> None:
        one_reader.share()

    def run(self, order: Order) -> Outcome:
        """One run, to its end or to its death."""
        moments.plan(order.kill, self._copy)
        buckets.sky.plan(order.weather)
        moments.plain_plans = order.plain_plans
        clock.clock.time = order.now
        try:
            report = _report(order)
        except Killed:
            return Outcome(None, killed=True)
        except PropsyncError as error:
            return self._ended_early(f"{type(error).__name__}: {error}")
        except Exception:  # noqa: BLE001 - whatever it is, it is a finding
            lines = traceback.format_exc().splitlines()
            return self._ended_early("\n".join([lines[-1], *lines]))
        else:
            return self._ended_early("") if moments.is_dead else _outcome(report)
        finally:
            if moments.is_dead:
                put_back(self.home, self._aside)
            else:
                moments.plan(None, self._copy)  # the questions after a run use propsync's own functions

    @staticmethod
    def _ended_early(error: str) -> Outcome:
        return Outcome(None, killed=True) if moments.is_dead else Outcome(None, error=error)

    def _copy(self) -> None:
        shutil.copytree(self.home, self._aside)


def _outcome(report: Ended) -> Outcome:
    if isinstance(report, Outcome):
        return report
    if isinstance(report, Report):
        return Outcome.of(report)
    lost = report.lost if isinstance(report, VerifyReport) else None
    return Outcome(report.exit_code, left_behind=list(report.left_behind), lost=lost)


def _report(order: Order) -> Ended:
    settings = load_settings(environ=dict(order.environ))
    if order.erases:
        return _of_erasure(settings, order)
    if order.hints:
        return read_hints(settings, policy=POLICY, now=order.now)
    if order.push:
        return _of_push(settings, Path(order.push))
    if order.documents:
        return _of_documents(settings, order.documents)
    if order.scope is not None:
        return backfill(settings, Scope(**order.scope), policy=POLICY)
    if order.rebuild:
        return rebuild(settings, now=order.now)
    return night(settings, order.only, accept=order.accept, policy=POLICY, now=order.now)


def _of_erasure(settings: Settings, order: Order) -> Outcome:
    """Nothing ran if there was nothing more to do."""
    if order.forget:
        forget(settings, order.forget)
        return Outcome(None)
    erased = erase(settings, None if order.erase is None else Request(**order.erase, reason="request 17"))
    return Outcome(None) if erased.run is None else Outcome.of(erased.run)


def _of_push(settings: Settings, path: Path) -> Outcome:
    """A plan that a token, or the network, stopped is applied again later."""
    plan = load_plan(path)
    try:
        report = apply(settings, plan, plan.plan_id, policy=POLICY)
    except (TokenRefused, WriteForbidden, ResourceFailed) as error:
        return Outcome(1, left_behind=[str(error)])
    # nothing ran if an earlier apply had done it all
    return Outcome(None if report.is_repeat else report.exit_code, report.run_id, left_behind=report.left_behind)


def _of_documents(settings: Settings, what: str) -> ArchiveReport | VerifyReport:
    try:
        return archive(settings, policy=POLICY) if what == "archive" else verify(settings, policy=POLICY)
    except StopRun as error:  # a token that is refused; what came until then is kept
        return ArchiveReport(left_behind=[str(error)])


def memory_folder() -> Path | None:
    """Where fsync costs nothing, if there is such a place."""
    folder = Path("/dev/shm")
    return folder if folder.is_dir() and os.access(folder, os.W_OK) else None
