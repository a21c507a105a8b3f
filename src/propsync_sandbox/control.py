"""Paths under /_sandbox/ that steer the sandbox itself: no bearer, no faults, and never in the journal.

POST /_sandbox/night     advance by one night and one day (`?seed=n` to choose it); returns its summary
GET  /_sandbox/today     the world's date, its first date, and the number of nights
POST /_sandbox/edit      an edit by somebody else (see `colleague`); 400 or 404 with a message if it cannot be made
GET  /_sandbox/journal   the records shown to each caller, a JSON line a request
GET  /_sandbox/writes    each effect of a POST, PATCH, PUT or DELETE, a JSON line each: its action, key and values, and
                         whether the client got the answer
GET  /_sandbox/world/{assets|assessments|schedules|properties}
                         the truth: a JSON line a record, with key, version, performed (`?night=n`: as it was after
                         that many nights)
GET  /_sandbox/changes   each change of a record since the world began, a JSON line each (`?night=n`: of one night)
GET  /_sandbox/hints     each post of a hint that was sent, a JSON line each: its body, the last answer to it, and the
                         number of its change
POST /_sandbox/faults    replace the fault plan by the one in the body; 400 with a message if it is wrong
"""

import json
from collections.abc import Callable

from . import colleague
from .exchange import Answer, Refusal, Request, json_answer, refusal_answer
from .faults import FaultPlan
from .hints import Hints
from .journal import Journal
from .jsontext import encode
from .night import live_through_a_night
from .shelf import Record
from .world import World

PREFIX = "/_sandbox/"
_LINES = "application/x-ndjson"


class Control:
    """`faults` is the plan in force; the server reads it again for each request."""

    def __init__(self, world: World, journal: Journal, faults: FaultPlan, hints: Hints | None = None) -> None:
        self.world = world
        self.journal = journal
        self.faults = faults
        self.hints = hints

    def answer(self, request: Request) -> Answer:
        try:
            return self._dispatch(request)
        except Refusal as refusal:
            return refusal_answer(refusal)

    def _dispatch(self, request: Request) -> Answer:
        word = (request.method, request.path.removeprefix(PREFIX))
        answers: dict[tuple[str, str], Callable[[Request], Answer]] = {
            ("POST", "night"): self._night,
            ("POST", "faults"): self._replace_faults,
            ("POST", "edit"): self._edit,
            ("GET", "today"): self._today,
            ("GET", "journal"): lambda _: Answer(200, self.journal.as_json_lines(), _LINES),
            ("GET", "writes"): lambda _: Answer(200, self.journal.writes_as_json_lines(), _LINES),
            ("GET", "changes"): self._changes,
            ("GET", "hints"): lambda _: Answer(200, self.hints.as_json_lines() if self.hints else b"", _LINES),
        }
        if word in answers:
            return answers[word](request)
        if word[0] == "GET" and word[1].removeprefix("world/") in self.world.resources:
            return self._truth(word[1].removeprefix("world/"), request)
        raise Refusal(404, "NotFound", "There is no such control path")

    def _night(self, request: Request) -> Answer:
        seed = request.whole_number("seed", 1) if "seed" in request.query else None
        return json_answer(live_through_a_night(self.world, seed))

    def _edit(self, request: Request) -> Answer:
        try:
            wanted = request.json_body()
        except ValueError as error:
            raise Refusal(400, "EditInvalid", str(error)) from error
        colleague.edit(self.world, wanted)
        return Answer(204)

    def _today(self, _request: Request) -> Answer:
        world = self.world
        days = {"today": world.today.isoformat(), "first": world.calendar.first.isoformat()}
        return json_answer(days | {"nights": world.nights})

    def _changes(self, request: Request) -> Answer:
        night = _night_of(request)
        with self.world.lock:
            changes = list(self.world.changes) if night is None else self.world.changes.of_night(night)
        return Answer(200, b"".join(change.as_json() + b"\n" for change in changes), _LINES)

    def _replace_faults(self, request: Request) -> Answer:
        try:
            self.faults = FaultPlan.from_json(json.loads(request.body or b"[]"))
        except ValueError as error:
            raise Refusal(400, "FaultPlanInvalid", str(error)) from error
        return Answer(204)

    def _truth(self, resource: str, request: Request) -> Answer:
        night, shelf = _night_of(request), self.world.shelf(resource)
        records = shelf.records() if night is None else self.world.records_at(resource, night).values()
        return Answer(200, b"".join(_truth_line(record) for record in records), _LINES)


def _night_of(request: Request) -> int | None:
    """The parameter `night`, from 0 on; None without one."""
    text = request.query.get("night")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()):
        raise Refusal(400, "NightInvalid", "night must be 0 or more")
    return int(text)


def _truth_line(record: Record) -> bytes:
    head = encode({"key": record.key, "version": record.version, "performed": sorted(record.performed)})
    return head[:-1] + b',"record":' + record.shown(with_flags=True) + b"}\n"
