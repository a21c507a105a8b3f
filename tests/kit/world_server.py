"""Serves a world in a dialect over HTTP on loopback, with the real parameters, bounds and defaults (API §4)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from kit.dialects import Dialect
from kit.encoding import encode
from kit.server import Answer, Query, Server
from kit.world import Assessment, Asset, Schedule, World

_PAGING = ("limit", "page")
_PARAMETERS = {
    "/properties/assets/types": (),
    "/properties/assets": (*_PAGING, "type", "id", "property"),
    "/assessments/types": (),
    "/assessments": (*_PAGING, "assessment", "property", "type", "performed", "status", "includeflags"),
    "/assessments/schedules": (*_PAGING, "property", "asset", "type", "status"),
}


class Refused(Exception):
    """400, or the status given first."""


class WorldServer(Server):
    """`requests` has (path, query) of every request since the start."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(self)
        self.dialect = dialect
        self.requests: list[tuple[str, Query]] = []
        self._lock = threading.Lock()

    @property
    def world(self) -> World:
        return self.dialect.world

    def respond(self, address: str) -> Answer:
        """`answer`, or how it refuses."""
        url = urlsplit(address)
        query = {name: values[-1] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
        try:
            return 200, encode(self.answer(url.path, query)).encode()
        except Refused as refused:
            status, code = refused.args
            return status, {"code": code}

    def answer(self, path: str, query: Query) -> Any:
        """One answer. Raises Refused."""
        with self._lock:  # a dialect may throw dice
            self.requests.append((path, query))
            if path not in _PARAMETERS:
                raise Refused(404, "there is no such path")
            if unknown := set(query) - set(_PARAMETERS[path]):
                raise Refused(400, f"unknown parameters {unknown}")
            return self.dialect.said(self._body(path, query))

    def _body(self, path: str, query: Query) -> Any:
        told, world = self.dialect, self.world
        if path == "/properties/assets/types":
            return told.asset_types_body([told.asset_type(one) for one in world.listed] + self._odd("asset_types"))
        if path == "/assessments/types":
            kinds = [told.assessment_type(one) for one in world.assessment_types]
            return told.assessment_types_body(kinds + self._odd("assessment_types"))
        if path == "/properties/assets":
            found = [told.asset(one) for one in world.assets if _wants_asset(one, query, world)]
            total, records = _paged(found + self._odd("assets"), query)
            return told.assets_body(total, records, [told.asset_type(one) for one in world.beside])
        if path == "/assessments":
            found = [self._assessment(one, query) for one in world.assessments if _wants_assessment(one, query)]
            return told.assessments_body(*_paged(found + self._odd("assessments"), query))
        found = [told.schedule(one) for one in world.schedules if _wants_schedule(one, query)]
        return told.schedules_body(*_paged(found + self._odd("schedules"), query))

    def _assessment(self, one: Assessment, query: Query) -> dict[str, Any]:
        record = self.dialect.assessment(one)
        if query.get("includeflags", "false") == "true":
            record["flags"] = self.dialect.flags([self.dialect.flag(flag) for flag in one.flags])
        return record

    def _odd(self, resource: str) -> list[Any]:
        return list(self.world.odd.get(resource, ()))


def _words(query: Query, name: str, default: str = "") -> list[str]:
    return [word for word in query.get(name, default).split(",") if word]


def _among(value: str, wanted: Sequence[str]) -> bool:
    return not wanted or value in wanted


def _wants_asset(one: Asset, query: Query, world: World) -> bool:
    types = _words(query, "type")
    names = next((known.name for known in world.asset_types if known.id == one.type), "")
    is_type = not types or one.type in types or names in types
    return is_type and _among(one.id, _words(query, "id")) and _among(one.property, _words(query, "property"))


def _wants_assessment(one: Assessment, query: Query) -> bool:
    return (
        one.status in _words(query, "status", "approved")
        and not one.performed.isdisjoint(_words(query, "performed", "For,By"))
        and _among(one.id, _words(query, "assessment"))
        and _among(one.property, _words(query, "property"))
        and _among(one.type, _words(query, "type"))
    )


def _wants_schedule(one: Schedule, query: Query) -> bool:
    properties = _words(query, "property") + _words(query, "asset")
    is_status = one.status in _words(query, "status", "notstarted,inprogress")
    return is_status and _among(one.property, properties) and _among(one.type, _words(query, "type"))


def _paged(found: list[Any], query: Query) -> tuple[int, list[Any]]:
    limit, page = _number(query, "limit", 1000), _number(query, "page", 1)
    if limit > 1000:
        raise Refused(400, "limit is at most 1000")
    return len(found), found[(page - 1) * limit : page * limit]


def _number(query: Query, name: str, default: int) -> int:
    text = query.get(name, str(default))
    if not text.isdigit() or int(text) < 1:
        raise Refused(400, f"{name} is a whole number from 1")
    return int(text)
