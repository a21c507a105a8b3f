"""The twelve endpoints (API §4.1 to 4.12): the endpoint of each path, and its answers."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import unquote

from . import colleague, documents, writes
from .callers import Callers
from .exchange import Answer, Refusal, Request, Write, json_answer, refusal_answer
from .journal import Entry, Journal
from .jsontext import JsonObject
from .lists import LIMIT, Lists
from .order import Order
from .shelf import Record
from .spoil import spoiled, status_answer
from .tidying import tidied
from .world import PROPERTIES, World

Endpoint = Callable[..., Answer]


@dataclass(frozen=True)
class Route:
    pattern: re.Pattern[str]
    methods: Mapping[str, Endpoint]


def _route(path: str, **methods: Endpoint) -> Route:
    """`{name}` in a path takes one segment, an empty one too: a missing id has its own code (API §7)."""
    return Route(re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]*)", path)), methods)


class App:
    """Answers requests about a world and notes its answers in the journal."""

    def __init__(
        self,
        world: World,
        callers: Callers,
        journal: Journal,
        *,
        order: Order,
        signed_links: bool = False,
        accept_ranges: bool = False,
        etags: str = "strong",
        normalise: bool = False,
        page: int = LIMIT,
        before: Callable[[Request], None] | None = None,
    ) -> None:
        self.world = world
        self.callers = callers
        self.before = before
        self.journal = journal
        self.lists = Lists(world, order, signed_links, page)
        self.accept_ranges, self.etags = accept_ranges, etags
        self.normalise = normalise
        self.routes = self._routes()

    def answer(self, request: Request) -> tuple[Answer, int]:
        """The answer and its number in the journal (0 when that is off).

        Under the world's lock it picks the records and notes them in one step; it writes the body outside. It calls
        `before` in that step, first.
        """
        with self.world.lock:
            if self.before is not None:
                self.before(request)
            true_answer = self._answer_with(request)
            answer, whole = spoiled(true_answer, request.effect)
            sequence = self._note(request, answer, whole, true_answer.write)
        return answer, sequence

    def _answer_with(self, request: Request) -> Answer:
        """Answers with an effect: some faults prevent the request from having any."""
        effect = request.effect
        if effect is not None and effect.kind in ("status", "reset", "close", "stall") and not effect.apply:
            return status_answer(effect)
        try:
            if effect is not None and effect.kind == "edit":
                colleague.edit(self.world, {"key": effect.key, "values": effect.values})
            self.callers.check(request)
            return self._dispatch(request)
        except Refusal as refusal:
            return refusal_answer(refusal)

    def _note(self, request: Request, answer: Answer, whole: bool, write: Write | None) -> int:
        entry = Entry(
            method=request.method,
            path=request.path,
            query=request.query_text,
            caller=self.callers.label(request),
            status=answer.status,
            fault=request.effect.kind if request.effect else None,
            total=answer.total,
            records=answer.records,
            types=answer.types,
            with_flags=answer.with_flags,
            delivered=whole,
            day=self.world.today,
            write=write,
        )
        return self.journal.note(entry)

    def _dispatch(self, request: Request) -> Answer:
        for route in self.routes:
            match = route.pattern.fullmatch(request.path)
            if match is None:
                continue
            if request.method not in route.methods:
                allowed = ", ".join(route.methods)
                return json_answer({"code": "MethodNotAllowed", "message": allowed}, 405, {"Allow": allowed})
            ids = {name: unquote(text) for name, text in match.groupdict().items()}
            return route.methods[request.method](request, **ids)
        raise Refusal(404, "NotFound", "There is no such path")

    def _routes(self) -> Sequence[Route]:
        """Fixed paths before those with ids."""
        further = [_route("/properties", GET=self.lists.properties)] if PROPERTIES in self.world.resources else []
        return (
            *further,
            _route("/properties/assets/types", GET=self._asset_types),
            _route("/properties/assets", GET=self.lists.assets),
            _route("/properties/{property_id}/assets", POST=self._create_asset),
            _route("/properties/{property_id}/assets/{asset_id}", PATCH=self._change_asset),
            _route("/assessments", GET=self.lists.assessments),
            _route("/assessments/types", GET=self._assessment_types),
            _route("/assessments/schedules", GET=self.lists.schedules),
            _route(
                "/assessments/schedules/{property_id}/{type_id}",
                GET=self._schedule,
                PUT=self._put_schedule,
                DELETE=self._delete_schedule,
            ),
            _route("/assessments/{assessment_id}/report.pdf", GET=partial(self._document, documents.REPORT)),
            _route("/assessments/{assessment_id}/bundle.zip", GET=partial(self._document, documents.BUNDLE)),
        )

    def _asset_types(self, _request: Request) -> Answer:
        """API §4.1: the property is named `type`, in the singular."""
        listed = self.world.asset_types.listed_json()
        return Answer(200, b'{"type":' + listed + b"}", types=listed)

    def _assessment_types(self, _request: Request) -> Answer:
        """API §4.6, which shows no shape: an object with `types`."""
        listed = self.world.assessment_types.listed_json()
        return Answer(200, b'{"types":' + listed + b"}", types=listed)

    def _create_asset(self, request: Request, property_id: str) -> Answer:
        """API §4.3."""
        writes.required_id(property_id, "PropertyIdRequired")
        body = writes.body_object(request, "PropertyAssetValuesInvalidFormat")
        type_id = body.get("type")
        if not isinstance(type_id, str) or not type_id:
            raise Refusal(400, "AssetTypeIdRequired", "type is required")
        values = writes.values_object(body, required=False)
        self._known_property(property_id, 400)
        if type_id not in self.world.asset_types:
            raise Refusal(400, "AssetTypeNotFound", "There is no such asset type")
        writes.check_values(self.world, type_id, values)
        asset_id = self.world.assets.add(property_id, type_id, self._stored(values))
        return replace(json_answer({"id": asset_id}), write=Write("create", "assets", asset_id, values))

    def _change_asset(self, request: Request, property_id: str, asset_id: str) -> Answer:
        """API §4.4."""
        writes.required_id(property_id, "PropertyIdRequired")
        writes.required_id(asset_id, "PropertyAssetIdRequired")
        values = writes.values_object(writes.body_object(request, "PropertyAssetValuesInvalidFormat"), required=True)
        self._known_property(property_id, 400)
        record = self.world.assets.get(asset_id)
        if record is None or record.property != property_id:
            raise Refusal(400, "PropertyAssetNotFound", "The property has no such asset")
        writes.check_values(self.world, record.type, values)
        after = self.world.assets.edit(asset_id, self._stored(values))
        return _done(record, after, Write("update", "assets", asset_id, values))

    def _schedule(self, _request: Request, property_id: str, type_id: str) -> Answer:
        """API §4.10."""
        record = self._standing_schedule(property_id, type_id)
        return Answer(200, record.shown(), records=(record,))

    def _put_schedule(self, request: Request, property_id: str, type_id: str) -> Answer:
        """API §4.11; keeps members that the body omits, which the API's document leaves open."""
        self._known_property(property_id, 404)
        if type_id not in self.world.assessment_types:
            raise Refusal(404, "AssessmentTypeNotFound", "There is no such assessment type")
        members, key = writes.schedule_members(request), (property_id, type_id)
        before = self.world.schedules.get(key)
        put = self.world.schedules.create if before is None else self._change_schedule
        after = put(property_id, type_id, **self._stored(members))
        return _done(before, after, Write("update" if before else "create", "schedules", key, members))

    def _change_schedule(self, property_id: str, type_id: str, **members: object) -> Record:
        return self.world.schedules.set_members((property_id, type_id), **members)

    def _delete_schedule(self, _request: Request, property_id: str, type_id: str) -> Answer:
        """API §4.12."""
        record = self.world.schedules.delete(self._standing_schedule(property_id, type_id).key)
        return Answer(204, write=Write("delete", "schedules", record.key))

    def _document(self, kind: documents.Kind, request: Request, assessment_id: str) -> Answer:
        """API §4.7 and 4.8."""
        record = self.world.assessments.get(assessment_id)
        if record is None:
            raise Refusal(404, "AssessmentNotFound", "There is no such assessment")
        if (assessment_id, request.path.rpartition("/")[2]) in self.world.assessments.withheld:
            raise Refusal(404, "DocumentNotFound", "The assessment has no such document")
        content = partial(kind.write, documents.subject(self.world, record))
        answer = Answer(200, content, kind.content_type, records=(record,))
        return documents.ranged(answer, request, self.etags) if self.accept_ranges else answer

    def _stored(self, values: JsonObject) -> JsonObject:
        """The values that the world keeps; a store that normalises keeps others."""
        return tidied(values) if self.normalise else values

    def _standing_schedule(self, property_id: str, type_id: str) -> Record:
        record = self.world.schedules.get((property_id, type_id))
        if record is None:
            raise Refusal(404, "ScheduleNotFound", "There is no schedule for this property and type")
        return record

    def _known_property(self, property_id: str, status: int) -> None:
        if property_id not in self.world.properties:
            raise Refusal(status, "PropertyNotFound", "There is no such property")


def _done(before: Record | None, after: Record, write: Write) -> Answer:
    """204; a write that left the record as it was has no effect."""
    is_same = before is not None and before.body == after.body
    return Answer(204, write=None if is_same else write)
