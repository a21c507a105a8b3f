"""A housing estate behind an API of its own: filters, pages and statuses work as documented, and tests may break each.

It owes nothing to propsync or to its sandbox. Unlike the worlds of `kit.world`, it changes while it is being read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from kit.server import Answer, Query

PATHS = {"assets": "/properties/assets", "assessments": "/assessments", "schedules": "/assessments/schedules"}
_LISTS = {*PATHS.values(), "/properties/assets/types", "/assessments/types"}
_STATUSES = {"assessments": "approved", "schedules": "notstarted,inprogress"}
Record = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """One request as the server saw it; `length` is that of the whole address."""

    path: str
    query: Query
    length: int

    def words(self, name: str) -> list[str]:
        """The values of a parameter."""
        return [word for word in self.query.get(name, "").split(",") if word]


class Estate:
    """`assets`, `assessments` and `schedules` by key; what an API knows beside its records stands apart.

    `performed` has the lists of an assessment (both where it says nothing), `reports` the status of a report.pdf (404
    where it says nothing). `answer` may answer instead, `before` sees each request before that, `total` may lie. The
    server heeds no parameter in `ignored`, and shows at most `most` records a page.
    """

    def __init__(self, *, is_random: bool = False) -> None:
        self.assets: dict[str, Record] = {}
        self.assessments: dict[str, Record] = {}
        self.schedules: dict[tuple[str, str], Record] = {}
        self.performed: dict[str, str] = {}
        self.reports: dict[str, int] = {}
        self.types = ["t0"]
        self.kinds = ["k0", "k1"]
        self.is_random = is_random
        self.shows_status = True
        self.ignored: set[str] = set()
        self.most = 1000
        self.requests: list[Request] = []
        self.answer: Callable[[str, Query], Answer | None] = _as_usual
        self.before: Callable[[str, Query], None] = _as_usual
        self.total: Callable[[str, Query, int], int] = _true
        self._rng = Random("estate")
        self._lock = threading.Lock()

    def add_assets(self, places: Iterable[tuple[str | None, str]]) -> list[str]:
        """An asset at each property and type; None is no property. Their ids come back."""
        added = []
        for property_id, type_id in places:
            key = _uid("a", len(self.assets))
            self.assets[key] = _asset(key, property_id, type_id)
            self.types += [type_id] if type_id not in self.types else []
            added.append(key)
        return added

    def add_assessments(self, places: Iterable[tuple[str, str]], status: str = "approved") -> list[str]:
        """An assessment at each property and kind."""
        added = []
        for property_id, kind in places:
            key = _uid("s", len(self.assessments))
            self.assessments[key] = {"id": key, "property": property_id, "type": kind, "status": status}
            added.append(key)
        return added

    def add_schedules(self, places: Iterable[tuple[str, str]], status: str = "notstarted") -> list[tuple[str, str]]:
        """A schedule at each property and kind."""
        added = []
        for property_id, kind in places:
            told = {"property": property_id, "type": kind, "status": status, "description": f"{property_id} {kind}"}
            self.schedules[property_id, kind] = told
            added.append((property_id, kind))
        return added

    def resources(self) -> set[str]:
        """Those that it has records of."""
        return {resource for resource in PATHS if getattr(self, resource)}

    def plainly(self) -> list[tuple[str, Any]]:
        """All that decides what it answers. Only of one whose answers no test has changed by then."""
        told = {name: value for name, value in vars(self).items() if name not in ("requests", "_lock", "_rng")}
        usual = {"answer": _as_usual, "before": _as_usual, "total": _true}
        assert {name: told.pop(name) for name in usual} == usual
        assert "lists" not in told
        return sorted(told.items())

    def asked(self, resource: str, **parameters: str) -> list[Request]:
        """Requests for a resource's list that had all these parameters, with these values where not empty."""
        return [
            one
            for one in self.requests
            if one.path == PATHS[resource]
            and all(name in one.query and value in ("", one.query[name]) for name, value in parameters.items())
        ]

    def respond(self, address: str) -> Answer:
        """One answer."""
        url = urlsplit(address)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        path = unquote(url.path)
        with self._lock:
            self.requests.append(Request(path, query, len(address)))
            self.before(path, query)
            told = self.answer(path, query)
            if told is None and path in _LISTS:
                return 200, self._body(path, query)
            return told or self._one(path)

    def lists(self, path: str, query: Query) -> list[Record]:
        """All that a query asks for, without paging."""
        minded = {name: value for name, value in query.items() if name not in self.ignored}
        if path == PATHS["assets"]:
            return [one for one in self.assets.values() if _is_at(one, minded, "id")]
        if path == PATHS["assessments"]:
            return [self._shown(key, one) for key, one in self.assessments.items() if self._is_listed(key, one, minded)]
        asked = minded.get("status", _STATUSES["schedules"]).split(",")
        return [one for one in self.schedules.values() if one["status"] in asked and _is_at(one, minded, "")]

    def truth(self, resource: str) -> dict[Any, Record]:
        """Each record as the lists should show it, by key."""
        found: dict[Any, Record] = getattr(self, resource)
        return {key: self._shown(key, one) if resource == "assessments" else one for key, one in found.items()}

    def _shown(self, key: str, one: Record) -> Record:
        return one if self.shows_status else {name: value for name, value in one.items() if name != "status"}

    def _is_listed(self, key: str, one: Record, query: Query) -> bool:
        lists = set(self.performed.get(key, "For,By").split(","))
        is_performed = not lists.isdisjoint(query.get("performed", "For,By").split(","))
        is_asked = one["status"] in query.get("status", _STATUSES["assessments"]).split(",")
        return is_performed and is_asked and _is_at(one, query, "assessment")

    def _body(self, path: str, query: Query) -> Any:
        types = [{"id": one, "name": f"Type {one}", "fields": []} for one in self.types]
        if path == "/properties/assets/types":
            return {"type": types}
        if path == "/assessments/types":
            return {"types": [{"id": one, "name": f"Kind {one}"} for one in self.kinds]}
        found = self.lists(path, query)
        if self.is_random:
            self._rng.shuffle(found)
        limit, page = min(int(query["limit"]), self.most), int(query["page"])
        told = {"total": self.total(path, query, len(found))}
        shown = found[(page - 1) * limit : page * limit]
        return told | ({"assets": shown, "types": types} if path == PATHS["assets"] else {"items": shown})

    def _one(self, path: str) -> Answer:
        """A report (API §4.7), or one schedule (4.10)."""
        *_, first, last = path.split("/")
        if last == "report.pdf":
            return self.reports.get(first, 404), b"%PDF-1.7"
        schedule = self.schedules.get((first, last))
        return (404, {}) if schedule is None else (200, schedule)


def _as_usual(path: str, query: Query) -> None:
    """Changes nothing."""


def _true(path: str, query: Query, true: int) -> int:
    return true


def _uid(prefix: str, number: int) -> str:
    """An id as long as ids are."""
    return f"{prefix}{number:05d}-{Random(f'{prefix}{number}').getrandbits(112):028x}"


def property_ids(count: int) -> list[str]:
    """Ids of that many properties, the same every time."""
    return [_uid("p", number) for number in range(count)]


def _asset(key: str, property_id: str | None, type_id: str) -> Record:
    told: Record = {"id": key, "property": property_id, "type": type_id, "fields": [], "note": f"asset {key}"}
    if property_id is None:
        del told["property"]
    return told


def _is_at(one: Record, query: Query, ids: str) -> bool:
    asked: dict[str, str] = {name: query[name] for name in ("property", "type") if name in query}
    if ids in query:
        asked["id"] = query[ids]
    return all(one.get(name) in value.split(",") for name, value in asked.items())
