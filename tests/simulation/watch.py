"""The records that the sandbox showed, and those that it lacked, run by run: the past that the oracle knows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from urllib.parse import parse_qs

from propsync_sandbox import Entry, Key, Record
from propsync_sandbox.exchange import Request
from propsync_sandbox.world import PROPERTIES

from .document_edits import DocumentEditor
from .edits import KINDS, Editor
from .further import PATH
from .ground import SmallWorld
from .papers import NAMES
from .property_edits import PropertyEditor
from .statuses import ASKED

_JUST_IN_TIME = 0.2
_BETWEEN_DOCUMENTS = 0.2
_AMID_DOCUMENT = 0.5
_BETWEEN_PAGES = 0.12
_ELSEWHERE = 0.02
Gone = dict[str, frozenset[Key]]
_PATHS = {
    "/properties/assets": "assets",
    "/assessments": "assessments",
    "/assessments/schedules": "schedules",
    PATH: PROPERTIES,
}


@dataclass
class Window:
    """One run: when it thought it was, what it was shown, and before each request what was gone, what was hidden.

    The runs of a backfill have no time of their own and come a moment after the run before: they are `after` it.
    """

    name: str
    time: datetime
    after: bool = False
    is_still: bool = False
    entries: list[Entry] = field(default_factory=list)
    gone: list[Gone] = field(default_factory=list)
    hidden: list[Gone] = field(default_factory=list)

    def is_of(self, time: datetime) -> bool:
        """Whether a run of that time happened in this window."""
        if not self.after:
            return time == self.time
        return timedelta() < time - self.time < timedelta(minutes=10)

    def was_gone(self, resource: str, key: Key) -> bool:
        """Whether the world was without this record at some moment of the run."""
        return any(key in gone[resource] for gone in self.gone)

    def was_hidden(self, resource: str, key: Key) -> bool:
        """Whether the record had a status that nobody asks for at some moment of the run."""
        return any(key in hidden[resource] for hidden in self.hidden)

    def is_refused(self, key: Key) -> bool:
        """Whether a report, which speaks for what no list shows, was not to be had."""
        path = f"/assessments/{key}/report.pdf"
        return any(entry.path == path and entry.status in (403, 404) for entry in self.entries)

    def readings(self, resource: str) -> Iterator[tuple[Entry, Record]]:
        """Every record of a resource that was shown in an answer which a table may come from."""
        for entry in self.entries:
            if resource_of(entry) == resource and entry.status == 200 and not is_count(entry):
                for record in entry.records:
                    yield entry, record

    def shown(self, resource: str) -> dict[Key, list[tuple[Entry, Record]]]:
        """The same by key, in order."""
        found: dict[Key, list[tuple[Entry, Record]]] = {}
        for entry, record in self.readings(resource):
            found.setdefault(record.key, []).append((entry, record))
        return found


def resource_of(entry: Entry) -> str | None:
    """The resource that an answer shows records of; documents show none."""
    if entry.path.startswith("/assessments/schedules/"):
        return "schedules"
    return _PATHS.get(entry.path)


def is_count(entry: Entry) -> bool:
    """Whether only the total was asked for; what came beside it feeds no table."""
    return parse_qs(entry.query).get("limit") == ["1"]


class Watch:
    """Called by the sandbox before each request: edits the world while it is turbulent, and notes what is not there."""

    def __init__(self, seed: int, world: SmallWorld, documents_of: Collection[str] = ()) -> None:
        """`documents_of` are the statuses of the assessments whose documents are wanted."""
        self.world = world
        self.editor = Editor(world)
        self.documents = DocumentEditor(world, documents_of) if documents_of else None
        self.properties = PropertyEditor(world) if PROPERTIES in world.resources else None
        self.edit_chance = 0.0
        self.requests = 0
        self.at_request: dict[int, object] = {}
        self._last_document = ""
        self._seed = seed
        self._is_still = False
        self._is_written = False
        self._gone: list[Gone] = []
        self._hidden: list[Gone] = []
        self._known: tuple[Gone, Gone] = self._look()

    def before(self, request: Request) -> None:
        """Under the world's lock."""
        self.requests += 1
        if self._is_written:
            self._known = self._look()
        dice = Random(f"edits {self._seed} {self.requests}")
        if dice.random() < self.edit_chance:
            self.edit(dice, dice.choice((1, 1, 2, 3)))
        if self.edit_chance and dice.random() < _JUST_IN_TIME:
            self._show_one(dice, request)
        if self.edit_chance and request.path.endswith(tuple(NAMES.values())):
            dice = Random(f"documents {self._seed} {self.requests}")
            self.edit_documents(dice)
            self._edit_asked_again(dice, request.path)
        if self.edit_chance:
            dice = Random(f"properties {self._seed} {self.requests}")
            self.edit_properties(dice, 1, _BETWEEN_PAGES if request.path == PATH else _ELSEWHERE)
        self._gone.append(self._known[0])
        self._hidden.append(self._known[1])
        action = self.at_request.pop(self.requests, None)
        if callable(action):
            action()

    def _edit_asked_again(self, dice: Random, path: str) -> None:
        """A document whose body may have broken off becomes another version before the rest of it is asked for."""
        key, is_repeated = path.split("/")[2], path == self._last_document
        self._last_document = path
        if is_repeated and self.documents is not None and dice.random() < _AMID_DOCUMENT:
            with self.world.lock:
                self.documents.change(key, dice)
                self._known = self._look()

    def _show_one(self, dice: Random, request: Request) -> None:
        """One of the records that a look-up asks for."""
        asked = (("id", PROPERTIES),) if request.path == PATH else (("id", "assets"), ("assessment", "assessments"))
        for parameter, resource in asked:
            keys = sorted(request.words(parameter))
            if keys:
                self.editor.show(resource, dice.choice(keys))
                self._is_still = False
                self._known = self._look()

    def edit(self, dice: Random, times: int, kinds: Sequence[str] = KINDS) -> None:
        """Makes that number of edits."""
        self._is_still = False
        with self.world.lock:
            for _ in range(times):
                self.editor.edit(dice, kinds)
            self._known = self._look()

    def edit_documents(self, dice: Random, times: int = 1, chance: float = _BETWEEN_DOCUMENTS) -> None:
        """Makes at most that number of edits of documents."""
        if self.documents is None:
            return
        self._is_still = False
        with self.world.lock:
            for _ in range(times):
                if dice.random() < chance:
                    self.documents.edit(dice)
            self._known = self._look()

    def edit_properties(self, dice: Random, times: int, chance: float = 0.5) -> None:
        """Edits the list of properties, `times` at most."""
        if self.properties is None:
            return
        with self.world.lock:
            for _ in range(times):
                if dice.random() < chance:
                    self._is_still = False
                    self.properties.edit(dice)
            self._known = self._look()

    def bring_back_property(self, dice: Random) -> None:
        """One that is gone, if any is."""
        assert self.properties is not None
        with self.world.lock:
            self.properties.bring_back(dice)
            self._known = self._look()

    def begin(self, *, is_written: bool = False) -> None:
        """Forgets what was noted: another run begins. One that writes changes the world itself."""
        self._gone, self._hidden = [], []
        self._known = self._look()
        self._is_written = is_written
        self._is_still = not is_written

    def window(self, name: str, time: datetime, after: bool, entries: list[Entry]) -> Window:
        """What was noted since `begin`."""
        return Window(name, time, after, self._is_still, entries, self._gone, self._hidden)

    def _look(self) -> tuple[Gone, Gone]:
        if self.documents is not None:
            self.documents.show_hidden()
        gone = {name: frozenset(self.world.shelf(name).gone_keys()) for name in self.world.resources}
        hidden = {
            name: frozenset(one.key for one in self.world.shelf(name).records() if one.status not in asked)
            for name, asked in ASKED.items()
        }
        return gone, dict.fromkeys(self.world.resources, frozenset()) | hidden
