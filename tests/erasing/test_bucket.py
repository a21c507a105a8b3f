"""An erasure from a home in a bucket: no object has it, and a new machine gets what is left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from deltalake import DeltaTable
from erasing.conftest import GONE
from erasing.traces import traces
from kit.bucket import FolderBucket, flaws
from kit.comparing import assert_same
from kit.small_api import DOOR, LIFT, asset
from machines.conftest import Machine, Machines

from propsync.erasing.request import Request
from propsync.errors import StorageAway
from propsync.runbooks import erase
from propsync.runbooks.erasure.verify import verify_erased

pytestmark = pytest.mark.slow


def lived(machines: Machines) -> Machine:
    home = machines("one")
    home.sync()
    machines.api.assets[-1] = asset(GONE, note="second note")
    home.sync()
    return home


@pytest.mark.release
def test_no_object_has_it_and_a_new_machine_gets_the_rest(machines: Machines) -> None:
    home = lived(machines)
    assert traces(machines.bucket.root, GONE)
    assert erase(home.settings(), Request(asset=GONE, reason="asked")).exit_code == 0
    assert traces(home.path, GONE, "first note", "second note") == []
    assert traces(machines.bucket.root, GONE, "first note", "second note") == []
    assert flaws(machines.bucket, home.path) == []
    assert home.sync().exit_code == 0
    assert traces(machines.bucket.root, GONE) == []

    other = machines("two")
    assert other.rebuild().exit_code == 0
    assert_same(home.published, other.published)
    assert other.sync().exit_code == 0
    assert traces(other.path, GONE) == []
    assert traces(machines.bucket.root, GONE) == []
    assert home.sync().exit_code == 0
    assert traces(home.path, GONE) == []


def test_a_search_says_that_other_machines_may_have_it(machines: Machines) -> None:
    idle, home = machines("one"), machines("two")
    idle.sync()
    home.rebuild()
    assert erase(home.settings(), Request(asset=GONE, reason="asked")).exit_code == 0
    searched = verify_erased(home.settings(), GONE)
    assert searched.exit_code == 0
    assert traces(idle.path, GONE)
    assert any("homes of other machines" in one.what for one in searched.beyond)
    idle.rebuild()
    assert traces(idle.path, GONE) == []


@pytest.mark.release
@pytest.mark.parametrize("what", ["record", "text"])
def test_a_record_of_a_hidden_type_is_erased_from_the_bucket(machines: Machines, what: str) -> None:
    machines.api.types = [DOOR, LIFT]
    machines.api.assets[-1] = asset(GONE, type="t2", note="first note")
    hides = '[privacy]\nhide = ["type:Lifts"]\n'
    home, other = machines("one"), machines("two")
    for one in (home, other):
        one.path.mkdir()
        (one.path / "propsync.toml").write_text(hides)
    home.sync()
    machines.api.assets[-1] = asset(GONE, type="t2", note="second note")
    machines.api.assets.append(asset("stays", type="t2", note="third note"))
    home.sync()
    assert traces(home.published, GONE, "second note", "third note") == []
    assert traces(machines.bucket.root, GONE)

    words = (GONE, "first note", "second note") if what == "record" else ("second note",)
    request = Request(asset=GONE, reason="asked") if what == "record" else Request(text="second note", reason="asked")
    assert erase(home.settings(), request).exit_code == 0
    for folder in (home.path, machines.bucket.root):
        assert traces(folder, *words) == []
        assert traces(folder, "third note")
    assert other.rebuild().exit_code == 0
    assert other.sync().exit_code == 0
    (other.path / "propsync.toml").write_text("[privacy]\nhide = []\n")
    assert other.sync().exit_code == 0
    assert other.column("select count(*) from assets where asset_type_id = 't2'") == [1 if what == "record" else 2]
    for folder in (other.path, machines.bucket.root):
        assert traces(folder, *words) == []


@pytest.mark.costly
@pytest.mark.parametrize("part", range(4))
def test_an_erasure_that_dies_at_the_bucket_is_finished(
    machines: Machines, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = lived(machines)
    puts = _dying(machines.bucket, monkeypatch, None)
    first = machines.bucket.root.with_name("kept")
    _copy(machines.bucket.root, first)
    _copy(home.path, home.path.with_name("kept-home"))
    erase(home.settings(), Request(asset=GONE, reason="asked"))
    at = len(puts) * part // 4
    _copy(first, machines.bucket.root)
    _copy(home.path.with_name("kept-home"), home.path)
    _dying(machines.bucket, monkeypatch, at)
    with pytest.raises(_Death):
        erase(home.settings(), Request(asset=GONE, reason="asked"))
    _dying(machines.bucket, monkeypatch, None)
    assert erase(home.settings(), Request(asset=GONE, reason="asked")).exit_code == 0
    assert traces(machines.bucket.root, GONE) == []
    assert traces(home.path, GONE) == []
    assert flaws(machines.bucket, home.path) == []
    other = machines("two")
    assert other.rebuild().exit_code == 0
    assert_same(home.published, other.published)


class _Death(BaseException):
    """The machine died here."""


def _dying(bucket: FolderBucket, patch: pytest.MonkeyPatch, at: int | None) -> list[str]:
    """Counts what changes the bucket, and dies before the request of that number."""
    from contextlib import contextmanager

    done: list[str] = []

    @contextmanager
    def around(verb: str, key: str) -> Iterator[None]:
        if key not in ("lease.json",) and verb in ("put", "put_new", "put_file", "delete"):
            if at is not None and len(done) >= at:
                raise _Death(f"{verb} {key}")
            done.append(f"{verb} {key}")
        yield

    patch.setattr(bucket, "around", around)
    return done


def _copy(source: Path, target: Path) -> None:
    import shutil

    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target)


@pytest.mark.release
def test_a_machine_that_had_it_alone_loses_it_when_it_takes_in_the_erasure(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, other = lived(machines), machines("two")
    assert other.rebuild().exit_code == 0
    assert home.sync().exit_code == 0
    machines.api.assets[-1] = asset(GONE, note="third note")
    _dying(machines.bucket, monkeypatch, 0)
    with pytest.raises(_Death):
        home.sync()
    _dying(machines.bucket, monkeypatch, None)
    assert traces(home.path, "third note")

    assert other.rebuild().exit_code == 0
    assert erase(other.settings(), Request(asset=GONE, reason="asked")).exit_code == 0
    assert home.rebuild().exit_code == 0

    assert traces(home.path, GONE, "third note") == []
    assert home.sync().exit_code == 0
    assert traces(machines.bucket.root, GONE, "third note") == []


@pytest.mark.release
def test_after_an_erasure_a_new_machine_continues_delta_tables_that_know_it(machines: Machines) -> None:
    table = machines.bucket.root / "published/delta/main/assets"
    home, other = lived(machines), machines("two")
    for one in (home, other):
        one.usual["delta"] = "main"
    assert home.sync().exit_code == 0
    assert erase(home.settings(), Request(asset=GONE, reason="asked")).exit_code == 0
    began = DeltaTable(table).metadata().id
    assert other.rebuild().exit_code == 0
    assert DeltaTable(table).metadata().id == began
    assert traces(machines.bucket.root, GONE, "first note", "second note") == []


@pytest.mark.release
def test_delta_tables_that_an_erasure_did_not_reach_in_the_bucket_begin_again(machines: Machines) -> None:
    home, other = lived(machines), machines("two")
    for one in (home, other):
        one.usual["delta"] = "main"
    assert home.sync().exit_code == 0
    machines.api.assets.insert(0, asset("later"))
    assert home.sync().exit_code == 0, "the log has a second version"

    @contextmanager
    def around(verb: str, key: str) -> Iterator[None]:
        if verb == "delete" and key.startswith("published/"):
            raise StorageAway(key, "no answer")
        yield

    plain, machines.bucket.around = machines.bucket.around, around
    with pytest.raises(StorageAway):
        erase(home.settings(), Request(asset=GONE, reason="asked"))
    machines.bucket.around = plain
    assert other.rebuild().exit_code == 0
    assert traces(machines.bucket.root, GONE, "first note", "second note") == []
    assert traces(other.path, GONE, "first note", "second note") == []
