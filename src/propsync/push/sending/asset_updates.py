"""Updates an asset, if it still is as the plan knows it (API §4.4)."""

from __future__ import annotations

from collections.abc import Callable

from propsync.api import Accept, Answer, Api, FieldKind, Sent, page_request
from propsync.errors import MalformedBody, NotFound, RequestRefused, UnexpectedAnswer
from propsync.push.outcome import Outcome
from propsync.push.plan import Entry
from propsync.push.sending import verdicts
from propsync.push.sending.looks import Looks
from propsync.push.sending.other_values import OtherValues
from propsync.push.sending.shapes import AssetAnswers, AssetReading
from propsync.records import PayloadUnreadable, is_nothing
from propsync.resources import ASSETS, ListQuery

_SEVERAL = 2  # a server that ignores the id in the request then shows itself
Note = Callable[[AssetReading | None], object]


class AssetUpdates:
    """Reads assets through one client and writes them through another, which may have another token."""

    def __init__(self, answers: AssetAnswers) -> None:
        self.answers = answers
        self.others = OtherValues(answers)

    def current(self, api: Api, asset_id: str) -> AssetReading | None:
        """The asset as it is now, None if it is gone. Raises ResourceFailed."""
        query = ListQuery("look-up", ((str(ASSETS.id_filter), asset_id),))
        request = page_request(ASSETS, query, _SEVERAL, accept=Accept.JSON_OR_NULL)
        try:
            _, shown = api.fetch(request, check=self.page).found
        except (NotFound, RequestRefused) as error:
            if error.says_not_found:
                return None
            raise
        found = [one for one in shown if one.asset_id == asset_id]
        if shown and not found:
            raise UnexpectedAnswer(str(request), "the API ignores the id in the request")
        return found[0] if found else None

    def page(self, answer: Answer) -> tuple[int | None, list[AssetReading]]:
        """The total and the assets of a page. Raises MalformedBody for anything else, so that the client asks again."""
        if is_nothing(answer.body):
            return None, []
        try:
            return self.answers.cut(answer.body)
        except (PayloadUnreadable, RecursionError) as error:
            raise MalformedBody(str(answer.request), f"the answer is not a page of assets: {error}") from error

    def compared(self, entry: Entry, there: AssetReading | None, sent: Sent) -> Outcome | None:
        """The outcome of an entry that needs no write, or must have none; None if propsync may send it."""
        if there is None:
            return verdicts.gone(sent)
        if there.property_id != entry.property_id:
            return verdicts.moved(sent)
        if there.type_id != entry.type_id:
            return verdicts.retyped()
        return verdicts.compared(entry, there.values, sent)

    def write(
        self, reader: Api, writer: Api, entry: Entry, there: AssetReading | None, sent: Sent, note: Note
    ) -> Outcome:
        """Sends the new values; `there` is the present asset, `sent` is what an earlier apply may have done.

        `note` gets the asset of each later look. Raises ResourceFailed and what ends the run.
        """
        values = self.answers.written(entry)
        kinds = {one.field: FieldKind(one.kind) for one in entry.changes}

        def current() -> AssetReading | None:
            return self.current(reader, entry.key[0])

        def look(so_far: Sent) -> Outcome | None:
            now_there = current()
            found = self.compared(entry, now_there, so_far)
            if found is None:
                note(now_there)
            return found

        looks = Looks(look, sent)

        def patch() -> Outcome:
            writer.update_asset(entry.property_id, entry.key[0], values, kinds, looks.again)
            return verdicts.applied()

        outcome = looks.run(patch)
        if outcome.is_written:
            self.others.compare(entry, there, current)
        return outcome
