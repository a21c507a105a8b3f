"""What propsync.toml says of shapes, a rebuild applies to everything that was ever landed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rebuild.comparing import assert_same
from rebuild.conftest import Place, prune_at

VOLATILE = '[shapes.assets]\nvolatile = ["score"]\n'
PROPERTY = '[shapes.assets]\nproperty = "owner.name"\n'


@pytest.fixture
def pruned(place: Place, tmp_path: Path) -> Place:
    """The same home, its older landing pruned."""
    other = Place(tmp_path / "pruned", {})
    shutil.copytree(place.path, other.path)
    prune_at(other, night=4, keep_days=1)
    return other


def versions(place: Place) -> int:
    return int(place.rows("select count(*) from history.assets")[0][0])


@pytest.mark.parametrize("toml", [VOLATILE, PROPERTY], ids=["volatile", "property"])
def test_an_override_applies_to_what_was_pruned_too(place: Place, pruned: Place, toml: str) -> None:
    for one in (place, pruned):
        (one.path / "propsync.toml").write_text(toml)
        assert one.rebuild().status == "ok"
    assert_same(place.published, pruned.published)


def test_versions_that_differ_in_volatile_members_alone_vanish(place: Place) -> None:
    before = versions(place)
    told = "select count(*) from ops.schema_changes where change = 'shape' and name = 'volatile'"
    assert place.rows(told) == [(0,)]
    (place.path / "propsync.toml").write_text(VOLATILE)
    assert place.rebuild().status == "ok"
    assert versions(place) == before - 4
    assert place.rows("select count(*) from history.assets where valid_to is null") == [
        place.rows("select count(distinct asset_id) from history.assets")[0]
    ]
    assert place.rows(told) == [(1,)]
    (place.path / "propsync.toml").unlink()
    assert place.rebuild().status == "ok"
    assert versions(place) == before


def test_another_path_is_followed_everywhere_and_told(place: Place) -> None:
    (place.path / "propsync.toml").write_text(PROPERTY)
    assert place.rebuild().status == "ok"
    found = {property_id for (property_id,) in place.rows("select distinct property_id from assets")}
    assert any(property_id and property_id.startswith("Owner ") for property_id in found)
    told = "select name, after from ops.schema_changes where change = 'shape' and after = 'owner.name'"
    assert place.rows(told) == [("property", "owner.name")]
