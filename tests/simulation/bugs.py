"""Bugs to plant in propsync while it runs: what a simulation is worth is what it catches.

Each is put in place around a run and taken out again, so that grounds are made by the product as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from propsync.landing import PageStore, pages
from propsync.merge.history import merger
from propsync.publish import publisher
from propsync.runbooks import deletes
from propsync.runbooks import resource_sync as family
from propsync.runs import Journal
from propsync.sweep import LookUps, attempt, ladder, list_end
from propsync.sweep import replay as ahead
from propsync.sweep.lookups import batches as asking
from propsync.sweep.lookups import by_ids
from propsync.warehouse import documents, lot, whole_numbers

from .document_bugs import DOCUMENT_BUGS
from .erasure_bugs import ERASURE_BUGS
from .further_bugs import FURTHER_BUGS
from .kills import moments
from .planting import Patches, Plant, entered
from .push_bugs import PUSH_BUGS

BUGS: dict[str, Plant] = {}
_bug = partial(entered, BUGS)
FROM_THE_START = {"hash without list facts", "volatile members compared"}
"""Bugs that grounds are made with too: else the next run would only find that everything is compared otherwise."""


@contextmanager
def planted(bug: str) -> Iterator[None]:
    """While the block runs, a bug is planted; none without a name."""
    with Patches() as patches:
        if bug:
            (BUGS | DOCUMENT_BUGS | FURTHER_BUGS | PUSH_BUGS | ERASURE_BUGS)[bug](patches)
        yield


@_bug("look-up without statuses")
def _look_up_without_statuses(patches: Patches) -> None:
    def everything(self: Any, values: Any) -> Any:
        query = before(self, values)
        return replace(query, filters=tuple(one for one in query.filters if one[0] != "status"))

    before = patches.put(asking.Batches, "everything", everything)


@_bug("no look-up: what is missing is gone")
def _no_look_up(patches: Patches) -> None:
    def look_up(self: Any, keys: Any) -> Any:
        self.answers.gone.update(dict.fromkeys(keys, "planted"))
        return self.answers

    patches.put(LookUps, "look_up", look_up)


@_bug("certificate not checked")
def _certificate_not_checked(patches: Patches) -> None:
    patches.put(attempt.Attempt, "is_certified", property(lambda _: True))


@_bug("union of attempts trusted")
def _union_trusted(patches: Patches) -> None:
    def note(self: Any, made: Any) -> Any:
        before(self, made)
        attempts = self._attempts
        listed = attempts._listed
        shown = f"from {listed.table} where role = 'page' and key_1 is not null"
        query = f"select count(distinct (key_1, key_2)) {shown}"
        if not made.is_certified and listed._warehouse.value(query) == made.certificates[-1].total_last:
            listed._warehouse.execute(f"update {listed._of_answers} set attempt = ?", [made.number])
            landed = attempts._reader.landed
            landed[:] = [replace(one, attempt=made.number) for one in landed]
            made.certificates = [replace(one, verdict="certified") for one in made.certificates]
        return made

    before = patches.put(ladder._Ladder, "_note", note)


@_bug("hash without list facts")
def _hash_without_facts(patches: Patches) -> None:
    patches.rewrite("staging/changed", "or coalesce(status", "or false and coalesce(status")
    for fact in ("performed_for", "performed_by"):
        patches.rewrite("staging/changed", f"or coalesce({fact}", f"or false and coalesce({fact}")


@_bug("publish without replace")
def _publish_in_place(patches: Patches) -> None:
    def write(source: Path, target: Path, *, mode: int = 0o600) -> None:
        body = source.read_bytes()
        if target.exists():
            target.chmod(0o644)
        with target.open("wb") as file:
            file.write(body[: len(body) // 2])
            file.flush()
            with moments.around("publish"):
                file.write(body[len(body) // 2 :])
        target.chmod(mode)
        source.unlink()

    patches.put(publisher, "replace", write)


@_bug("Parquet without what a run changes after it has published earlier runs")
def _own_changes_kept_back(patches: Patches) -> None:
    def publish(self: Any, *given: Any, has_ended: bool = True, **named: Any) -> Any:
        return before(self, *given, **named)

    before = patches.put(publisher.Publisher, "publish", publish)


@_bug("overlapping interval: a version is not closed")
def _not_closed(patches: Patches) -> None:
    patches.put(merger.Merger, "_close", lambda *_: None)
    patches.silence_checks()


@_bug("retry that doubles: what came after a retry is written twice")
def _doubled(patches: Patches) -> None:
    def merge(self: Any, resource: Any, manifest: Any, *rest: Any, **options: Any) -> Any:
        self.is_retried = bool(manifest.traffic.get("retries"))
        return before(self, resource, manifest, *rest, **options)

    def write(self: Any, resource: Any, models: Any, readings: Any) -> None:
        once(self, resource, models, readings)
        if getattr(self, "is_retried", False):
            for first, payloads in readings.payloads():
                places = range(first, first + len(payloads))
                with self._warehouse.showing(lot(place=whole_numbers(places), payload=documents(payloads))):
                    self._open(resource, models.with_fragments(lot="lot"), places)

    before = patches.put(merger.Merger, "merge", merge)
    once = patches.put(merger.Merger, "_write_versions", write)
    patches.silence_checks()


@_bug("merged again: what was merged is merged once more by the next run")
def _merged_again(patches: Patches) -> None:
    patches.put(Journal, "is_merged", lambda *_: False)
    patches.put(Journal, "latest_merged", lambda *_: "")
    patches.silence_checks()


@_bug("volatile members compared")
def _volatile_compared(patches: Patches) -> None:
    def form(*values: Any) -> Any:
        return replace(before(*values), volatile=frozenset())

    before = patches.put(merger, "canonical_form", form)


@_bug("a return is not noticed")
def _return_unnoticed(patches: Patches) -> None:
    patches.rewrite("staging/candidates", "or known_change = 'delete'", "")


@_bug("membership of a list lost")
def _performed_lost(patches: Patches) -> None:
    patches.rewrite("staging/latest", "bool_or(performed = 'By')", "false")


@_bug("the earlier copy wins")
def _earlier_wins(patches: Patches) -> None:
    patches.rewrite("staging/latest", "arg_max(", "arg_min(")


@_bug("cleaning removes a page that is named")
def _named_removed(patches: Patches) -> None:
    def keep_only(self: Any, named: Any) -> Any:
        return before(self, set(sorted(named)[1:]))

    before = patches.put(PageStore, "keep_only", keep_only)


@_bug("a body is not checked against its name")
def _body_not_checked(patches: Patches) -> None:
    def put(self: Any, raw: bytes, body: bytes, known: str | None = None) -> str:
        sha256 = known or pages.sha256_of(body)
        return sha256 if self._storage.exists(pages.page_key(sha256)) else str(before(self, raw, body, known))

    def get(self: Any, sha256: str) -> bytes:
        return bytes(pages._unpacked(self._storage.get(pages.page_key(sha256))))

    before = patches.put(PageStore, "put", put)
    patches.put(PageStore, "get", get)


@_bug("a night is taken for a repeat of the last whatever is answered")
def _always_a_repeat(patches: Patches) -> None:
    patches.put(ahead.Replay, "asked_again", lambda self, what, before: list(before))


@_bug("held deletes are applied")
def _held_applied(patches: Patches) -> None:
    patches.put(deletes, "to_hold", lambda *_: {})


@_bug("what a killed run landed is forgotten")
def _landed_forgotten(patches: Patches) -> None:
    patches.put(family.ResourceSync, "finish_earlier", lambda self: self.build())


@_bug("a killed run is shown as running")
def _still_running(patches: Patches) -> None:
    def begin(self: Any, run: Any) -> list[str]:
        row = [run.run_id, run.flow, run.time, None, "running", None]
        self._warehouse.execute("insert into ops.runs values (?, ?, ?, ?, ?, ?)", row)
        return []

    patches.put(Journal, "begin", begin)


@_bug("a rebuild forgets what was concluded")
def _rebuild_forgets(patches: Patches) -> None:
    def merge(self: Any, resource: Any, manifest: Any, *rest: Any, **options: Any) -> Any:
        is_replayed = not options.get("is_staged")
        return before(self, resource, replace(manifest, looked_up=[]) if is_replayed else manifest, *rest, **options)

    before = patches.put(merger.Merger, "merge", merge)


@_bug("the page after a full last one is not asked for")
def _total_believed(patches: Patches) -> None:
    def may_be_more(self: Any) -> bool:
        total = self._pages.total
        return self._pages.records > (0 if total is None else total)

    patches.put(list_end.ListEnd, "_may_be_more", may_be_more)


@_bug("ids that a look-up does not show are believed gone")
def _silent_gone(patches: Patches) -> None:
    def conclude(self: Any, batch: Any, answer: Any) -> list[Any]:
        before(self, batch, answer)
        silent = self._shown_and_silent(batch, answer)[1]
        self._answers.gone.update(dict.fromkeys(silent, "planted"))
        self._times.update(silent)  # as if a second answer had not shown them either
        return []

    before = patches.put(by_ids.ByIds, "_conclude", conclude)
