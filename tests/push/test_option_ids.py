"""A write names options by their ids (API §2.3), also where assets name them by their labels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kit.push_home import SCALE, PushHome

from propsync.errors import InvalidValue
from propsync.push.plan import FieldChange
from propsync.push.values.option_ids import OptionIds, names_no_ids
from propsync.runbooks.push.undo import undo
from propsync.shapes import Choice, Shape
from propsync_sandbox import Sandbox
from propsync_sandbox.exchange import Answer


def shape(option_id: str) -> Shape:
    """The shape of asset types whose options are named by this member."""
    parts = {"field_id": "id", "field_options": "options", "option_id": option_id}
    return Shape("asset_types", {part: Choice(((name,),), "found", "") for part, name in parts.items()})


def written(options: Any, chosen: list[str], option_id: str = "label") -> Any:
    """The value that a write of one field has."""
    definition = {"fields": [{"id": "f1", "type": "option", "options": options}]}
    ids = OptionIds.of(shape(option_id), {"t1": json.dumps(definition)})
    return ids.written("t1", FieldChange("f1", "Rating", "option", None, chosen))


@pytest.mark.parametrize(
    ("options", "chosen", "found"),
    [
        ([{"id": "o1", "label": "Good"}, {"id": "o2", "label": "Poor"}], ["Poor", "Good"], ["o2", "o1"]),
        ([{"id": 17, "label": "Good"}], ["Good"], ["17"]),
        ([{"UID": "o1", "label": "Good"}], ["Good"], ["o1"]),
        ({"o1": {"label": "Good"}, "o2": {"label": "Poor"}}, ["Poor"], ["o2"]),
        ([{"id": "o1", "label": "Good"}], ["Gone"], ["Gone"]),  # offered no more: the API says so
        ([{"label": "Good", "position": 1}], ["Good"], ["Good"]),  # the label is all that it has
        (["Good", "Poor"], ["Good"], ["Good"]),
        ([{"id": "o1", "label": "Good"}], [], []),
    ],
)
def test_a_label_becomes_the_id_beside_it(options: Any, chosen: list[str], found: list[str]) -> None:
    assert written(options, chosen) == found


def test_a_label_of_two_options_is_not_sent() -> None:
    with pytest.raises(InvalidValue, match="2 of its options are called Good"):
        written([{"id": "o1", "label": "Good"}, {"id": "o2", "label": "Good"}], ["Good"])


@pytest.mark.parametrize(("member", "is_name"), [("label", True), ("value", True), ("id", False), ("code", False)])
def test_a_member_that_says_id_is_the_id(member: str, is_name: bool) -> None:
    assert names_no_ids(shape(member)) is is_name


class LabelHome(PushHome):
    """Its sandbox shows chosen options by their labels."""

    def show_labels(self) -> None:
        """From now on."""
        lists = self.sandbox._server.app.lists
        page = lists._page

        def with_labels(resource: str, *given: Any, **named: Any) -> Answer:
            answer = page(resource, *given, **named)
            return replace(answer, content=self._with_labels(answer.body())) if resource == "assets" else answer

        lists._page = with_labels  # type: ignore[method-assign]

    def _with_labels(self, body: bytes) -> bytes:
        shown = json.loads(body)
        definitions = [field for one in shown["types"] for field in one["fields"]]
        labels = {option["id"]: option["label"] for field in definitions for option in field.get("options", ())}
        for result in (result for one in shown["assets"] for result in one["fields"]):
            if result["type"] == "option" and result["value"]:
                result["value"] = [labels.get(one, one) for one in result["value"]]
        return json.dumps(shown).encode()


@pytest.mark.slow
def test_options_that_assets_show_by_label_are_written_by_id_and_come_back(tmp_path: Path) -> None:
    with Sandbox(scale=SCALE, seed=11) as sandbox:
        home = LabelHome(sandbox, tmp_path / "home")
        home.show_labels()
        sandbox.world.assets.set_members(str(next(iter(sandbox.world.truth("assets")))), type="in no list", fields=[])
        home.sync(["assets", "schedules"])
        asset_id, place, kind, field, old = home.rows(
            "select asset_id, property_id, asset_type_id, field_id, value_options from asset_field_values "
            "where value_options = value_option_labels and len(value_options) = 1 order by all limit 1"
        )[0]
        (new,) = home.rows(
            "select min(label) from asset_field_options where asset_type_id = ? and field_id = ? and label <> ?",
            *(kind, field, old[0]),
        )[0]
        before = truth(sandbox, asset_id, field)
        plan = home.plan(home.update(asset_id, {field: [new]}), home.create(place, kind, {field: [new]}))
        assert (report := home.apply(plan)).exit_code == 0, report.lines
        assert home.column("select distinct state from ops.writes") == ["verified"]
        written_id = truth(sandbox, asset_id, field)
        assert written_id not in (before, [new])
        assert {tuple(truth(sandbox, one, field)) for one in home.column("select record_id from ops.writes")} == {
            tuple(written_id)
        }
        assert home.apply(undo(home.settings(), plan.plan_id)).exit_code == 0
        assert truth(sandbox, asset_id, field) == before


def truth(sandbox: Sandbox, asset_id: str, field: str) -> Any:
    """The value that the sandbox keeps."""
    return next(one["value"] for one in sandbox.world.truth("assets")[asset_id]["fields"] if one["field"] == field)
