"""Creates assets (API §4.3), one at a time for each property and type, so that a lost answer can be settled by a list.

propsync notes the assets of the property and type before it sends. If one of them has the planned values, perhaps in
another form, and is newer than the plan, it sends nothing. A colleague, another plan, or an apply in a copy of the home
may have made it.

After a lost answer, a refusal or a kill, propsync lists them again. A new one with the planned values is the one that
it created. If it has other values in some of these fields, a person must look.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from propsync.api import Api, FieldKind, page_request, why_unaskable
from propsync.errors import AnswerLost, InvalidValue, NotFound, RequestRefused, UnexpectedAnswer
from propsync.push.journals.journal import Pair, WriteJournal
from propsync.push.outcome import Outcome
from propsync.push.plan import CREATE, Entry, FieldChange
from propsync.push.sending import verdicts
from propsync.push.sending.asset_updates import AssetUpdates
from propsync.push.sending.evidence import is_accepted, may_be_late
from propsync.push.sending.shapes import AssetReading
from propsync.push.values.sameness import is_empty, is_form_of, is_stored
from propsync.resources import ASSETS, ListQuery

_LIMIT = 1000  # records a page, the API's own maximum (API §8)
_CREATED = 200  # the status of an answer with an id (API §4.3)
_READINGS = 5  # of a list of several pages, which may move between them
_UNSHOWN = "the API accepted the new asset without its id, and no list shows it yet"
_GONE = "the API gave no clear answer, and a new asset of its property and type was in the lists and is gone: {}"
_WAS_IT = "Look at its history: if it was this one, somebody has deleted it"
_LATER = "Run `propsync sync` later, look for it"
Listing = Mapping[str, AssetReading]


@dataclass(frozen=True)
class KnownAssets:
    """Assets that a plan has not made: the tables had them when it was planned, or other plans have made them since.

    `since` has all that the tables have had since, gone or not, by property and type: some may be the plan's own.
    """

    planned: Collection[str] = ()
    of_others: Collection[str] = ()
    since: Mapping[Pair, Collection[str]] = field(default_factory=dict)


class Creations:
    """Creates assets; the journal knows those that existed before the first attempt."""

    def __init__(self, updates: AssetUpdates, journal: WriteJournal, known: KnownAssets) -> None:
        self._updates = updates
        self._journal = journal
        self._known = known

    def create(self, reader: Api, writer: Api, number: int, entry: Entry) -> Outcome:
        """Creates one asset. Raises ResourceFailed and what ends the run."""
        was_killed = number in self._journal.so_far.in_flight
        if was_killed and (found := self._awaited(reader, number, entry)):
            return found
        for _ in writer.attempts():
            outcome = self._attempt(reader, writer, number, entry)
            if outcome.is_final:
                break
        return outcome

    def found(self, reader: Api, number: int, entry: Entry) -> Outcome | None:
        """The outcome of an earlier attempt by a list; None if it shows nothing. Raises ResourceFailed."""
        return self._settled(number, entry, self._listed(reader, _pair_of(entry)))

    def _attempt(self, reader: Api, writer: Api, number: int, entry: Entry) -> Outcome:
        """The outcome of one attempt; one that is not final allows a further attempt."""
        pair, values = _pair_of(entry), self._values_of(entry)
        was_sent = number in self._journal.so_far.sent
        listed = self._listed(reader, pair)
        settled = self._settled(number, entry, listed)
        if settled is not None:
            return settled
        if not was_sent and (made := self._made_since(entry, listed)):
            return verdicts.made(made)
        self._journal.sending(number, listed)
        try:
            kinds = {one.field: FieldKind(one.kind) for one in entry.changes}
            return verdicts.applied(_new_id(writer.create_asset(*pair, values, kinds), listed))
        except AnswerLost as error:
            if may_be_late(error.status) and (found := self._awaited(reader, number, entry)):
                return found
            if is_accepted(error.status):
                return verdicts.unsure(_UNSHOWN, _LATER)  # sending it again would make a second one
            return verdicts.failed(error)
        except (RequestRefused, NotFound) as error:
            # it may refuse an asset that it has made, and an attempt before may have arrived since the list
            found = self._settled(number, entry, self._listed(reader, pair))
            return found or verdicts.failed(error)
        except UnexpectedAnswer as error:
            found = self._settled(number, entry, self._listed(reader, pair))
            return found or verdicts.unexplained(error)

    def _awaited(self, reader: Api, number: int, entry: Entry) -> Outcome | None:
        """The outcome of an attempt without an answer, once a list shows the asset; None if none does in time.

        Behind a gateway that gave up, the API may still be at work; and lists may be late. So it is after a kill.
        """
        pair = _pair_of(entry)
        looks = (self._settled(number, entry, self._listed(reader, pair)) for _ in reader.attempts())
        return next(filter(None, looks), None)

    def _settled(self, number: int, entry: Entry, listed: Listing) -> Outcome | None:
        """The outcome of an earlier attempt, None if there was none, or it created nothing."""
        if number not in self._journal.so_far.sent:
            return None
        before = self._journal.so_far.seen.get(_pair_of(entry), set())
        others = {*before, *self._known.planned, *self._known.of_others}
        new = {key: one for key, one in listed.items() if key not in others}
        ours = [key for key, one in new.items() if _may_be_ours(one, entry)]
        if len(ours) == 1:
            return verdicts.applied(ours[0])
        if ours:
            return _several(ours)
        reads_values = self._updates.answers.reads_values
        alike = [key for key, one in new.items() if not reads_values or _is_alike(one, entry)]
        if alike:
            return _unexplained(alike, reads_values=reads_values)
        gone = sorted({*self._known.since.get(_pair_of(entry), ())}.difference(others, listed))
        return verdicts.unsure(_GONE.format(", ".join(gone)), _WAS_IT) if gone else None

    def _made_since(self, entry: Entry, listed: Listing) -> str | None:
        """The asset with these values that somebody has made since the plan; a plan without values has no sign."""
        if not _filled(entry):
            return None
        own = {one.asset_id for one in self._journal.so_far.outcomes.copy().values()}
        new = (key for key in listed if key not in self._known.planned and key not in own)
        return next((key for key in new if _looks_like(listed[key], entry)), None)

    def look_for_twins(self, reader: Api, pair: Pair) -> None:
        """Notes created assets of a property and type whose values another new one has too.

        A gateway may have sent a POST twice, and given one answer. Raises ResourceFailed and what ends the run.
        """
        made = _made(self._journal, pair)
        others = {*self._known.planned, *self._known.of_others, *(one.asset_id for one in made.values())}
        new = {key: one for key, one in self._listed(reader, pair).items() if key not in others}
        for number, outcome in made.items():
            entry = self._journal.so_far.plan.entries[number]
            twins = [key for key, one in new.items() if _filled(entry) and _looks_like(one, entry)]
            if twins:
                self._journal.done(number, verdicts.made_twice(outcome, twins))

    def _values_of(self, entry: Entry) -> dict[str, Any]:
        """The values of a new asset by field, as a write has them. Raises InvalidValue."""
        return {name: value for name, value in self._updates.answers.written(entry).items() if value is not None}

    def _listed(self, api: Api, pair: Pair) -> Listing:
        """The assets of a property and type by id. Raises ResourceFailed if two readings of several pages differ."""
        for one in pair:
            if why := why_unaskable(one):
                raise InvalidValue(f"id {one[:40]!r}", f"propsync cannot ask the API for it: {why}", "Give another id")
        found, pages = self._read(api, pair)
        for _ in range(_READINGS if pages > 1 else 0):
            before = found.keys()
            found, _ = self._read(api, pair)
            if before == found.keys():
                return found
        if pages > 1:
            raise UnexpectedAnswer(f"GET {ASSETS.path}", "the list of the property's assets differs at each reading")
        return found

    def _read(self, api: Api, pair: Pair) -> tuple[dict[str, AssetReading], int]:
        """One reading, and its number of pages. A total may be wrong, so the list ends with a page of nothing new."""
        found: dict[str, AssetReading] = {}
        query = ListQuery("siblings", (("property", pair[0]), ("type", pair[1])))
        page, is_over = 0, False
        while not is_over:
            page += 1
            total, shown = self._page(api, query, page)
            new = {one.asset_id: one for one in shown if one.asset_id not in found}
            found |= new
            is_over = not new or (total == len(found) and len(shown) < _LIMIT)
        return {key: one for key, one in found.items() if (one.property_id, one.type_id) == pair}, page

    def _page(self, api: Api, query: ListQuery, page: int) -> tuple[int | None, list[AssetReading]]:
        request = page_request(ASSETS, query, _LIMIT, page)
        try:
            found: tuple[int | None, list[AssetReading]] = api.fetch(request, check=self._updates.page).found
        except (NotFound, RequestRefused) as error:
            if error.says_not_found:  # a property without any asset
                return 0, []
            raise
        return found


def made_pairs(journal: WriteJournal) -> list[Pair]:
    """The properties and types in which a plan has created assets."""
    so_far = journal.so_far
    written = (so_far.plan.entries[number] for number, one in so_far.outcomes.items() if one.is_written)
    return sorted({_pair_of(one) for one in written if one.action == CREATE})


def _made(journal: WriteJournal, pair: Pair) -> dict[int, Outcome]:
    """The outcomes of created assets of a property and type, by entry."""
    so_far = journal.so_far
    made = {number: one for number, one in so_far.outcomes.copy().items() if one.is_written and one.asset_id}
    return {number: one for number, one in made.items() if _pair_of(so_far.plan.entries[number]) == pair}


def _new_id(asset_id: str, listed: Listing) -> str:
    """The id in the answer. Raises AnswerLost if it is that of an asset which was there before."""
    if asset_id not in listed:
        return asset_id
    raise AnswerLost("POST", f"the answer names asset {asset_id}, which is not new", status=_CREATED)


def _pair_of(entry: Entry) -> Pair:
    return entry.property_id, entry.type_id


def _filled(entry: Entry) -> list[FieldChange]:
    """The planned values that say something."""
    return [one for one in entry.changes if not is_empty(one.new)]


def _may_be_ours(one: AssetReading, entry: Entry) -> bool:
    """Whether an asset has the planned values. The server may fill other fields; a plan without values has no sign."""
    planned = _filled(entry)
    if not planned:
        return all(is_empty(value) for value in one.values.values())
    return all(is_stored(change.new, one.values.get(change.field), change.kind) for change in planned)


def _looks_like(one: AssetReading, entry: Entry) -> bool:
    """Whether an asset has the planned values, as they are or as a server has tidied them."""
    return all(is_form_of(one.values.get(change.field), change.new, change.kind) for change in _filled(entry))


def _is_alike(one: AssetReading, entry: Entry) -> bool:
    """Whether a server that stores other values may have made it: one of the planned fields has a value.

    The server may fill further fields, and drop some. An asset without any planned field is somebody else's, unless the
    plan has no values at all.
    """
    planned = _filled(entry)
    return not planned or any(not is_empty(one.values.get(change.field)) for change in planned)


def _several(keys: Collection[str]) -> Outcome:
    named = ", ".join(sorted(keys))
    return verdicts.unsure(
        f"the API gave no clear answer, and {len(keys)} new assets have these values: {named}", "Keep one"
    )


def _unexplained(keys: Collection[str], *, reads_values: bool) -> Outcome:
    """Nobody knows whether the server stored other values than propsync sent, or somebody else made the asset.

    Before the first asset of all, propsync does not know how the API shows values.
    """
    first, *more = sorted(keys)
    values = "other values" if reads_values else "values that propsync cannot read yet"
    if more:
        what = f"the API gave no clear answer, and {len(keys)} new assets have {values}: {', '.join(sorted(keys))}"
        return verdicts.unsure(what, "Check whether it is one of them")
    what = f"the API gave no clear answer, and a new asset has {values}: {first}"
    return verdicts.unsure(what, "Check whether it is this one", first)
