"""Paths under /_sandbox/ that steer the sandbox itself: no bearer, no faults, and never in the journal.

POST /_sandbox/night     advance by one night (`?seed=n` to choose it); returns its summary
GET  /_sandbox/journal   the records shown to each caller, a JSON line a request
GET  /_sandbox/world/{assets|assessments|schedules}   the truth: a JSON line a record, with key, version, performed
POST /_sandbox/faults    replace the fault plan by the one in the body; 400 with a message if it is wrong
"""

import json

from .exchange import Answer, Refusal, Request, json_answer, refusal_answer
from .faults import FaultPlan
from .journal import Journal
from .jsontext import encode
from .night import live_through_a_night
from .shelf import Record
from .world import RESOURCES, World

PREFIX = "/_sandbox/"
_LINES = "application/x-ndjson"


class Control:
    """`faults` is the plan in force; the server reads it again for each request."""

    def __init__(self, world: World, journal: Journal, faults: FaultPlan) -> None:
        self.world = world
        self.journal = journal
        self.faults = faults

    def answer(self, request: Request) -> Answer:
        try:
            return self._dispatch(request)
        except Refusal as refusal:
            return refusal_answer(refusal)

    def _dispatch(self, request: Request) -> Answer:
        word = (request.method, request.path.removeprefix(PREFIX))
        if word == ("POST", "night"):
            seed = request.whole_number("seed", 1) if "seed" in request.query else None
            return json_answer(live_through_a_night(self.world, seed))
        if word == ("GET", "journal"):
            return Answer(200, self.journal.as_json_lines(), _LINES)
        if word == ("POST", "faults"):
            return self._replace_faults(request)
        if word[0] == "GET" and word[1].removeprefix("world/") in RESOURCES:
            return Answer(200, self._truth(word[1].removeprefix("world/")), _LINES)
        raise Refusal(404, "NotFound", "There is no such control path")

    def _replace_faults(self, request: Request) -> Answer:
        try:
            self.faults = FaultPlan.from_json(json.loads(request.body or b"[]"))
        except ValueError as error:
            raise Refusal(400, "FaultPlanInvalid", str(error)) from error
        return Answer(204)

    def _truth(self, resource: str) -> bytes:
        return b"".join(_truth_line(record) for record in self.world.shelf(resource).records())


def _truth_line(record: Record) -> bytes:
    head = encode({"key": record.key, "version": record.version, "performed": sorted(record.performed)})
    return head[:-1] + b',"record":' + record.shown(with_flags=True) + b"}\n"
