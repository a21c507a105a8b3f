"""A plan from before `[privacy] hide` sends nothing hidden, and no run publishes what an earlier apply wrote of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kit.deaths import dying
from kit.kept import KeptHomes
from kit.push_home import PushHome, push_home
from msgspec.structs import replace
from privacy.private import found_in

from propsync.errors import UsageError
from propsync.push.plan import Plan
from propsync.push.review.changes import change_rows
from propsync.runbooks.push.plans import names_of
from propsync.runbooks.push.undo import undo
from propsync_sandbox.exchange import Request

SECRET = "zqx-private"


@pytest.fixture
def home(kept: KeptHomes, tmp_path: Path) -> Iterator[PushHome]:
    with push_home(kept, tmp_path / "home") as made:
        yield made


def hide(home: PushHome, *lines: str) -> None:
    told = ", ".join(f'"{line}"' for line in lines)
    (home.path / "propsync.toml").write_text(f"[privacy]\nhide = [{told}]\n")


def of_text(home: PushHome) -> tuple[Plan, str, str]:
    """A plan of two assets of one type, with the field that it writes and the label of the field."""
    query = "select asset_type_id from assets group by all having count(*) > 1 order by all limit 1"
    ((kind,),) = home.rows(query)
    text = home.field(str(kind), "text")
    ids = home.column(f"select asset_id from assets where asset_type_id = '{kind}' order by asset_id limit 2")
    (label,) = home.column(f"select label from asset_type_fields where field_id = '{text}'")
    return home.plan(*(home.update(one, {text: f"{SECRET} {one}"}) for one in ids)), text, str(label)


def of_type(plan: Plan) -> str | None:
    """The type of the assets of a plan."""
    return plan.entries[0].type_id


def test_a_plan_from_before_a_field_was_hidden_sends_nothing(home: PushHome) -> None:
    plan, _, label = of_text(home)
    hide(home, f"assets.fields[{label}]")
    with pytest.raises(UsageError, match="hide has changed since the tables were published") as early:
        home.apply(plan)
    assert home.sync(["assets", "schedules"]).exit_code == 0
    home.sandbox.journal.clear()
    with pytest.raises(UsageError, match="hides now: row 2 has a hidden field") as late:
        home.apply(plan)
    assert (early.value.exit_code, late.value.exit_code) == (2, 2)
    assert SECRET not in str(late.value)
    assert home.requests == []
    assert home.rows("select count(*) from ops.writes") == [(0,)]


@pytest.mark.slow
def test_an_undo_says_that_it_leaves_out_what_was_hidden_since(home: PushHome) -> None:
    ((asset_id, kind, number),) = home.rows(
        "select min(asset_id), asset_type_id, min(field_id) filter (kind = 'number') as number "
        "from assets join asset_type_fields using (asset_type_id) group by all having number is not null "
        "order by asset_type_id limit 1"
    )
    text = home.field(str(kind), "text")
    both = home.apply(home.plan(home.update(str(asset_id), {text: SECRET, str(number): 7})))
    assert both.exit_code == 0
    only = home.apply(home.plan(home.update(str(asset_id), {text: f"{SECRET} 2"})))
    assert "[privacy]" not in " ".join(undo(home.settings(), str(both.run_id)).notes)
    hide(home, f"assets.fields[{text}]")
    assert home.sync(["assets", "schedules"]).exit_code == 0
    plan = undo(home.settings(), str(both.run_id))
    assert [change.field for one in plan.entries for change in one.changes] == [number]
    assert plan.notes[-1].startswith("[privacy] hides values, and the undo leaves out those of the plan")
    with pytest.raises(UsageError, match="hides: to undo that, remove the line"):
        undo(home.settings(), str(only.run_id))


@pytest.mark.slow
def test_a_plan_from_before_a_mark_was_hidden_does_not_show_it(home: PushHome) -> None:
    """A plan keeps no names of its own: they come from the published tables, which lack what is hidden."""
    home.has_desk = True
    assert home.sync(["assets", "schedules"]).exit_code == 0
    ((asset_id, mark, label),) = home.rows(
        "select asset_id, qr, label from marts.asset_register join asset_field_values using (asset_id) "
        "where kind = 'qr' and qr = value_text and serial is null order by asset_id limit 1"
    )
    kind = home.column(f"select asset_type_id from assets where asset_id = '{asset_id}'")[0]
    plan = home.plan(home.update(str(asset_id), {home.field(str(kind), "number"): 7}))
    (row,) = change_rows(plan, names_of(home.settings(), plan))
    assert str(mark) in row[3]
    hide(home, f"assets.fields[{label}]")
    assert home.sync(["assets", "schedules"]).exit_code == 0
    (row,) = change_rows(plan, names_of(home.settings(), plan))
    assert str(mark) not in " ".join(map(str, row))


@pytest.mark.slow
def test_a_plan_of_other_fields_is_sent(home: PushHome) -> None:
    _, text, _ = of_text(home)
    hide(home, f"assets.fields[{text}]")
    assert home.sync(["assets", "schedules"]).exit_code == 0
    ((asset_id, kind, number),) = home.rows(
        "select min(asset_id), asset_type_id, field_id from assets join asset_type_fields using (asset_type_id) "
        "where kind = 'number' and is_listed group by all order by all limit 1"
    )
    assert home.apply(home.plan(home.update(str(asset_id), {str(number): 7}))).exit_code == 0
    assert home.writes() == [(asset_id, number, "verified")]
    assert kind is not None


@pytest.mark.slow
def test_a_plan_from_before_a_member_or_a_type_was_hidden_sends_nothing(home: PushHome) -> None:
    (key,) = home.schedules(1)
    due = home.plan(home.schedule("update", key, {"dueDate": "2031-01-01"}), resource="schedules")
    noted = home.plan(home.schedule("update", key, {"description": "new"}), resource="schedules")
    hide(home, "schedules.description")
    assert home.sync(["assets", "schedules"]).exit_code == 0
    with pytest.raises(UsageError, match="row 2 has a hidden field"):
        home.apply(noted)
    assert home.apply(due).exit_code == 0
    again = home.plan(home.schedule("update", key, {"dueDate": "2032-01-01"}), resource="schedules")
    hide(home, f"type:{key[1]}")
    assert home.sync(["assets", "schedules"]).exit_code == 0
    with pytest.raises(UsageError, match="row 2 is of a hidden type"):
        home.apply(again)


@pytest.mark.slow
def test_a_night_does_not_publish_what_a_killed_apply_wrote_of_a_hidden_field(home: PushHome) -> None:
    plan, text, label = of_text(home)
    with dying(5):
        home.apply(plan, max_concurrency=1)
    assert sum(home.effects.values()) >= 1
    hide(home, f"assets.fields[{label}]")
    assert home.sync(["assets", "schedules"]).exit_code == 0
    assert home.rows(f"select count(*) from ops.writes where field = '{text}'") == [(0,)]
    assert found_in(home.path / "published") == []
    with pytest.raises(UsageError, match="remove the line"):
        home.apply(plan)
    hide(home)
    assert home.sync(["assets", "schedules"]).exit_code == 0
    assert home.apply(plan).exit_code == 0
    assert set(home.effects.values()) == {1}, "the first is not sent again"
    assert len(home.writes()) == 2


@pytest.mark.slow
@pytest.mark.parametrize("types", [0, 1])
def test_rows_of_writes_from_before_a_field_was_hidden_are_not_published(home: PushHome, types: int) -> None:
    """Nor are they if a type of other records is hidden too."""
    plan, text, label = of_text(home)
    assert home.apply(plan).exit_code == 0
    assert found_in(home.path / "published") != []
    others = home.column("select asset_type_id from asset_types where asset_type_id <> ? limit ?", of_type(plan), types)
    hide(home, f"assets.fields[{label}]", *(f"type:{one}" for one in others))
    assert home.sync(["assets", "schedules"]).exit_code == 0
    assert home.rows(f"select count(*) from ops.writes where field = '{text}'") == [(0,)]
    assert found_in(home.path / "published") == []
    assert SECRET.encode() not in home.state.read_bytes()
    hide(home)
    assert home.sync(["assets", "schedules"]).exit_code == 0
    assert len(home.writes()) == 2


def _hidden_field(home: PushHome) -> tuple[Plan, str, Callable[[], object]]:
    plan, text, _ = of_text(home)
    (edit, *_) = plan.entries
    others = {one for one, kind in home.kinds(edit.type_id).items() if kind == "text"} - {text}
    lost = min(others & {one for one, value in home.values(edit.key[0]).items() if value})
    return home.plan(edit), f"assets.fields[{lost}]", lambda: home.sandbox.world.assets.edit(edit.key[0], {lost: None})


def _hidden_member(home: PushHome) -> tuple[Plan, str, Callable[[], object]]:
    (key,) = home.schedules(1)
    plan = home.plan(home.schedule("update", key, {"dueDate": "2031-01-01"}), resource="schedules")
    return plan, "schedules.description", lambda: home.sandbox.world.schedules.set_members(key, description=None)


@pytest.mark.slow
@pytest.mark.parametrize("make", [_hidden_field, _hidden_member])
@pytest.mark.parametrize("is_lost", [True, False])
def test_a_write_that_removes_a_hidden_value_says_so_without_its_name(
    home: PushHome, make: Callable[[PushHome], tuple[Plan, str, Callable[[], object]]], *, is_lost: bool
) -> None:
    made, line, lose = make(home)

    def lose_after_the_write(request: Request) -> None:
        if request.method == "GET" and home.effects and is_lost:
            lose()

    hide(home, line)
    assert home.sync(["assets", "schedules"]).exit_code == 0
    plan = replace(made, published_run=str(home.note()["run"]))
    home.sandbox._server.app.before = lose_after_the_write
    report = home.apply(plan)
    assert (report.exit_code, home.writes("code")) == ((3, [("OthersChanged",)]) if is_lost else (0, [(None,)]))
    told = "it is written, and a value that [privacy] hides changed at the same time"
    assert [told in one for one in report.lines] == ([True] if is_lost else [])
    assert line.split("[")[-1].rstrip("]") not in str(home.writes("message"))
