"""A rebuild applies the shapes in propsync.toml to everything that was ever landed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from kit.comparing import assert_same
from kit.kept import KeptHomes
from rebuild.conftest import Lived

VOLATILE = '[shapes.assets]\nvolatile = ["score"]\n'
PROPERTY = '[shapes.assets]\nproperty = "owner.name"\n'


@pytest.fixture
def overridden(lived: Lived, kept: KeptHomes, request: pytest.FixtureRequest) -> Lived:
    """The home after four nights, rebuilt under a propsync.toml that says something else of shapes."""

    def rebuilt(home: Path) -> None:
        shutil.copytree(lived.path, home)
        (home / "propsync.toml").write_text(request.param)
        assert Lived(home).rebuild().status == "ok"

    home = Lived(lived.path.with_name("overridden"))
    kept.copied(("overridden", request.param), home.path, rebuilt)
    return home


def versions(lived: Lived) -> int:
    return int(lived.rows("select count(*) from history.assets")[0][0])


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("overridden", [VOLATILE, PROPERTY], ids=["volatile", "property"], indirect=True)
def test_an_override_applies_to_what_was_pruned_too(overridden: Lived, pruned: Lived) -> None:
    shutil.copy(overridden.path / "propsync.toml", pruned.path)
    assert pruned.rebuild().status == "ok"
    assert_same(overridden.published, pruned.published)


@pytest.mark.release
@pytest.mark.parametrize("overridden", [VOLATILE], ids=["volatile"], indirect=True)
def test_versions_that_differ_in_volatile_members_alone_vanish(lived: Lived, overridden: Lived) -> None:
    before = versions(lived)
    told = "select count(*) from ops.schema_changes where change = 'shape' and name = 'volatile'"
    assert lived.rows(told) == [(0,)]
    assert versions(overridden) == before - 4
    assert overridden.rows("select count(*) from history.assets where valid_to is null") == [
        overridden.rows("select count(distinct asset_id) from history.assets")[0]
    ]
    assert overridden.rows(told) == [(1,)]
    (overridden.path / "propsync.toml").unlink()
    assert overridden.rebuild().status == "ok"
    assert versions(overridden) == before


@pytest.mark.release
@pytest.mark.parametrize("overridden", [PROPERTY], ids=["property"], indirect=True)
def test_another_path_is_followed_everywhere_and_told(overridden: Lived) -> None:
    found = set(overridden.column("select distinct property_id from assets"))
    assert any(property_id and property_id.startswith("Owner ") for property_id in found)
    told = "select name, after from ops.schema_changes where change = 'shape' and after = 'owner.name'"
    assert overridden.rows(told) == [("property", "owner.name")]
