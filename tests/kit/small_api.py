"""An API of a few records, with definitions of fields, which tests change between nights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from kit.home import Home
from kit.server import Answer

DOOR = {"id": "t1", "name": "Doors", "fields": [{"id": "f1", "type": "text", "label": "Name"}]}
LIFT = {"id": "t2", "name": "Lifts", "fields": [{"id": "f2", "type": "number", "label": "Load"}]}


def asset(key: str, **members: Any) -> dict[str, Any]:
    results = [{"type": "text", "field": "f1", "value": f"door {key}"}]
    return {"id": key, "property": "p1", "type": "t1", "fields": results} | members


def assessment(key: str, **members: Any) -> dict[str, Any]:
    return {"id": key, "property": "p1", "type": "k1", "status": "approved"} | members


class SmallApi:
    """An API of a few records, which tests change between nights; `answer` may answer a path otherwise."""

    def __init__(self) -> None:
        self.types: Any = [DOOR]
        self.assessment_types: Any = [{"id": "k1", "name": "Fire risk"}]
        self.assets = [asset(f"a{number}") for number in range(6)]
        self.assessments = [assessment(f"s{number}") for number in range(4)]
        self.answer: Callable[[str, dict[str, str]], tuple[int, Any] | None] = lambda path, query: None

    def respond(self, address: str) -> Answer:
        """One answer."""
        url = urlsplit(address)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        return self.answer(url.path, query) or (200, self.body(url.path, query))

    def body(self, path: str, query: dict[str, str]) -> Any:
        if path == "/properties/assets/types":
            return {"type": self.types}
        if path == "/properties/assets":
            return {"total": len(self.assets), "assets": self.assets, "types": self.types}
        if path == "/assessments/types":
            return {"types": self.assessment_types}
        if path == "/assessments":
            return self.listed(query)
        return {"total": 0, "schedules": []}

    def listed(self, query: dict[str, str]) -> Any:
        asked = query["status"].split(",")
        is_shown = "For" in query["performed"]
        shown = [one for one in self.assessments if one.get("status", one.get("hidden")) in asked] if is_shown else []
        told = [{name: value for name, value in one.items() if name != "hidden"} for one in shown]
        limit = int(query["limit"])
        return {"total": len(told), "assessments": told[:limit]}


class SmallHome(Home):
    """A home that follows a small API; `server` is that API."""

    def __init__(self, path: Path, url: str, server: SmallApi) -> None:
        super().__init__(path, url)
        self.server = server
