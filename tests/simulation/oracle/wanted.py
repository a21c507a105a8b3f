"""Documents after a quiet run: those that propsync wants are as the world has them, or the tables say why not."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from propsync_sandbox import World

from .. import papers
from ..archives import Archive
from ..watch import Window
from .archived import Asked, rows_of
from .problems import Problems
from .published import Published
from .served import Pair, Served

_REASONS = {"missing": "missing in the API", "failed": "failed"}


_A_DAY = timedelta(hours=25)  # the second quiet run comes so soon


class WantedDocuments:
    """Compares what is published with the world. `is_waiting`: something is only asked for again by a later run."""

    def __init__(self, world: World, archive: Archive, served: Served, problems: Problems) -> None:
        self._world = world
        self._archive = archive
        self._served = served
        self._problems = problems
        self.is_waiting = False

    def check(self, found: Published, window: Window) -> None:
        """Every wanted document, and the reasons for those that are lacking."""
        asked = rows_of(found)
        rows = found.rows("select assessment_id, status, changed_at from main.assessments")
        wanted = {
            (key, kind): changed_at
            for key, status, changed_at in rows
            if status in self._archive.statuses
            for kind in self._archive.kinds
        }
        for pair, changed_at in wanted.items():
            self._check_one(pair, asked.get(pair, Asked([], None)), changed_at, window)
        self._check_coverage(found, wanted, asked)
        self._check_repeats(asked)
        self._check_contents(found, asked)

    def _check_one(self, pair: Pair, one: Asked, changed_at: datetime, window: Window) -> None:
        record = self._world.assessments.get(pair[0])
        is_asked = bool(one.versions or one.lacking) and one.of_changed_at == changed_at
        if record is None or not self._problems.expect(is_asked, "a wanted document was asked for", *pair, changed_at):
            return  # `Present` tells of one that is not in the world
        latest = one.latest.sha256 if one.latest else ""
        is_withheld = (pair[0], papers.NAMES[pair[1]]) in self._world.assessments.withheld
        is_so = latest == papers.sha256(pair[1], record) and one.lacking is None
        if is_withheld:  # propsync asks again for a kept document of an unchanged record when it is due, and not before
            self.is_waiting |= one.lacking is None and one.due_at <= window.time + _A_DAY
            is_so = is_so or (one.lacking is not None and one.lacking.state == "missing")
        if not is_so and self._must_wait(pair, one, changed_at, window):
            self.is_waiting = is_so = True
        told = (latest, "≠", papers.sha256(pair[1], record), "withheld" if is_withheld else "", one.lacking)
        self._problems.expect(is_so, "documents = world", *pair, *told)

    def _must_wait(self, pair: Pair, one: Asked, changed_at: datetime, window: Window) -> bool:
        """Something that is missing or failed is asked for again later.

        So is a document that came when its assessment had just changed, if that changed back before anybody read it.
        """
        if one.lacking is not None:
            return one.lacking.due_at > window.time
        last = self._served.whole.get((pair, str(one.versions[-1].sha256)))
        return last is not None and last >= changed_at and one.due_at > window.time

    def _check_coverage(self, found: Published, wanted: dict[Pair, datetime], asked: dict[Pair, Asked]) -> None:
        """The documents that are lacking, each with the reason that follows from the record."""
        expected = {pair: _reason(asked.get(pair), changed_at) for pair, changed_at in wanted.items()}
        lacking = {pair: reason for pair, reason in expected.items() if reason}
        rows = found.rows("select assessment_id, kind, reason from marts.document_coverage")
        shown = {(key, kind): reason for key, kind, reason in rows}
        self._problems.expect(shown == lacking, "document_coverage tells what is lacking", shown, "≠", lacking)

    def _check_repeats(self, asked: dict[Pair, Asked]) -> None:
        """A version that only repeats another has the same text and members."""
        for row in (row for one in asked.values() for row in one.versions if row.same_text_as):
            one, other = (self._served.records.get(str(digest)) for digest in (row.sha256, row.same_text_as))
            contents = [papers.content(record) for record in (one, other) if record]
            told = {(papers.text(content), *papers.actions(content)) for content in contents}
            self._problems.expect(len(contents) == 2 and len(told) == 1, "a repeat says the same", row)

    def _check_contents(self, found: Published, asked: dict[Pair, Asked]) -> None:
        """Rows of the CSVs of the latest bundles, members of all of them, the text of reports where it is read."""
        kept = [row for one in asked.values() for row in one.versions]
        members = {digest for (digest,) in found.rows("select document_sha256 from main.bundle_members")}
        bundles = {row.sha256 for row in kept if row.kind == "bundle"}
        self._problems.expect(members == bundles, "members of each bundle", members ^ bundles)
        if bundles:
            expected = Counter(
                (row.assessment_id, row.sha256, *action)
                for row in kept
                if row.kind == "bundle" and row.is_latest
                for action in papers.actions(self._content(row.sha256))
            )
            query = "select assessment_id, document_sha256, reference, title from main.bundle_actions"
            shown = Counter(found.rows(query))
            self._problems.expect(
                shown == expected, "actions of the latest bundles", shown - expected, expected - shown
            )
        if self._archive.is_text_read:
            reports = {row.sha256: papers.text(self._content(row.sha256)) for row in kept if row.kind == "report"}
            texts = dict(found.rows("select document_sha256, text from main.document_text"))
            self._problems.expect(texts == reports, "the text of reports", texts.items() ^ reports.items())

    def _content(self, digest: str | None) -> str:
        return papers.content(self._served.records[str(digest)])


def _reason(one: Asked | None, changed_at: datetime) -> str | None:
    if one is None:
        return "not asked for yet"
    if changed_at > one.of_changed_at:
        return "changed since"
    return _REASONS[one.lacking.state] if one.lacking else None
