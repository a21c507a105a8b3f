"""Serves a world in a dialect over HTTP on loopback, with the real parameters, bounds and defaults (section 4)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from contract.dialects import Dialect, encode
from contract.world import Assessment, Asset, Schedule, World

TOKEN = "a-token-of-the-contract-tests"
_PAGING = ("limit", "page")
_PARAMETERS = {
    "/properties/assets/types": (),
    "/properties/assets": (*_PAGING, "type", "id", "property"),
    "/assessments/types": (),
    "/assessments": (*_PAGING, "assessment", "property", "type", "performed", "status", "includeflags"),
    "/assessments/schedules": (*_PAGING, "property", "asset", "type", "status"),
}
Query = dict[str, str]


class Refused(Exception):
    """400, or the status given first."""


class ApiServer:
    """`requests` has (path, query) of every request since the start."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.requests: list[tuple[str, Query]] = []
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.api = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def world(self) -> World:
        return self.dialect.world

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def answer(self, path: str, query: Query) -> str:
        """The JSON of one answer. Raises Refused."""
        with self._lock:  # a dialect may draw lots
            self.requests.append((path, query))
            if path not in _PARAMETERS:
                raise Refused(404, "there is no such path")
            if unknown := set(query) - set(_PARAMETERS[path]):
                raise Refused(400, f"unknown parameters {unknown}")
            return encode(self.dialect.said(self._body(path, query)))

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


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    api: ApiServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet
    server: _Http

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(address.query, keep_blank_values=True).items()}
        try:
            self._check_token()
            status, body = 200, self.server.api.answer(address.path, query)
        except Refused as refused:
            status, body = refused.args[0], encode({"code": refused.args[1]})
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def _check_token(self) -> None:
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise Refused(401, "no such token")

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: a test that fails shows `requests`."""
