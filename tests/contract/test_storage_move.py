"""A home that moves to a bucket and back says what it has lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kit.archives import SMALL, Place, place
from kit.bucket import KEYS, URL, FolderBucket, flaws

from propsync.bucket import note_left
from propsync.errors import BaseLost, HomeUnusable, PropsyncError, SettingsError, StorageAway, UsageError
from propsync.runbooks import nightly
from propsync.runbooks.archiving.export import export
from propsync.runbooks.erasure.verify import verify_erased
from propsync.runbooks.storage_move import MoveReport, move_storage
from propsync.settings import load_settings
from propsync.storage import LocalStorage, Storage
from propsync.webhook.inbox import Inbox, Post

pytestmark = pytest.mark.slow


@pytest.fixture
def at(archived_small: Path, tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path / "home", archived_small, scale=SMALL) as made:
        yield made


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FolderBucket:
    made = FolderBucket(tmp_path / "bucket")

    def opened(*_: object, **__: object) -> Storage:
        return made

    monkeypatch.setattr("propsync.runbooks.workplace.object_storage", opened)
    return made


def moved(at: Place, to: str, **given: object) -> MoveReport:
    return move_storage(load_settings(environ=at.environ(**given) | KEYS), to)


def test_a_document_that_neither_place_has_is_named(at: Place, bucket: FolderBucket, tmp_path: Path) -> None:
    here, gone, rotten = sorted(at.column("select distinct path from documents where path is not null"))[:3]
    assert moved(at, URL).lost == []
    (at.path / gone).unlink()
    (bucket.root / gone).unlink()
    assert moved(at, URL).lost == [gone]

    only = (at.path / rotten).rename(tmp_path / "only")
    (bucket.root / rotten).write_bytes(b"rotten")
    with pytest.raises(BaseLost, match=rf"{rotten} in the bucket: .* Run `propsync archive verify`"):
        moved(at, str(tmp_path / "other"), storage_url=URL)
    bucket.put_file(rotten, only)
    report = moved(at, str(tmp_path / "other"), storage_url=URL)
    assert report.lost == [gone]
    assert (tmp_path / "other" / here).read_bytes() == (at.path / here).read_bytes()


def test_a_bucket_that_was_damaged_is_whole_after_the_next_move(at: Place, bucket: FolderBucket) -> None:
    moved(at, URL)
    document = at.column("select path from documents where path is not null")[0]
    (bucket.root / document).write_bytes(b"rotten")
    (pack,) = bucket.root.glob("packs/*")
    pack.write_bytes(b"rotten")
    with pytest.raises(
        BaseLost, match=rf"packs/{pack.name} in {URL}: .* Remove that object, then run the same command"
    ):
        moved(at, URL)
    pack.unlink()
    assert moved(at, URL).lost == []
    assert flaws(bucket, at.path) == []
    assert (bucket.root / document).read_bytes() == (at.path / document).read_bytes()


def test_a_home_in_a_bucket_checks_it_by_a_move_to_its_own_address(at: Place, bucket: FolderBucket) -> None:
    moved(at, URL)
    assert moved(at, URL, storage_url=URL).lost == []
    (pack,) = bucket.root.glob("packs/*")
    pack.write_bytes(pack.read_bytes()[::-1])
    with pytest.raises(BaseLost, match=rf"packs/{pack.name} in {URL}: .* Remove that object, then run the same"):
        moved(at, URL, storage_url=URL)
    pack.unlink()
    assert moved(at, URL, storage_url=URL).lost == []
    assert flaws(bucket, at.path) == []


def test_a_document_that_is_damaged_in_both_places_stops_the_move(at: Place, bucket: FolderBucket) -> None:
    moved(at, URL)
    document = at.column("select path from documents where path is not null")[0]
    (bucket.root / document).write_bytes(b"rotten")
    (at.path / document).write_bytes(b"also rotten")
    with pytest.raises(BaseLost, match=rf"neither home nor the bucket has {document} whole\. Run `propsync archive v"):
        moved(at, URL)


def test_no_run_begins_on_a_disk_to_which_a_move_stopped(at: Place, bucket: FolderBucket, tmp_path: Path) -> None:
    """It would begin its history again, or lack documents, and exit 0."""
    moved(at, URL)
    there = tmp_path / "other"
    document = at.column("select path from documents where path is not null")[0]
    whole = (bucket.root / document).rename(tmp_path / "whole")
    for rotten in (at.path / document, bucket.root / document):
        rotten.write_bytes(b"rotten")
    with pytest.raises(BaseLost):
        moved(at, str(there), storage_url=URL)
    with pytest.raises(HomeUnusable, match="propsync storage move` to this folder was interrupted"):
        nightly(load_settings(environ=at.environ(home=there)))

    bucket.put_file(document, whole)
    moved(at, str(there), storage_url=URL)
    assert nightly(load_settings(environ=at.environ(home=there))).exit_code == 0


def test_the_same_command_resumes_a_move_to_its_own_new_home(at: Place, bucket: FolderBucket, tmp_path: Path) -> None:
    """It asked for a rebuild, since the note about that bucket was there and home lacked a part."""
    moved(at, URL)
    new, plainly = tmp_path / "new", bucket.around

    @contextmanager
    def away(verb: str, key: str) -> Iterator[None]:
        if key == "published/warehouse.duckdb":
            raise StorageAway(key, "it is away")
        yield

    bucket.around = away
    with pytest.raises(StorageAway):
        moved(at, str(new), home=new, storage_url=URL)
    bucket.around = plainly
    assert moved(at, str(new), home=new, storage_url=URL).lost == []
    assert nightly(load_settings(environ=at.environ(home=new))).exit_code == 0


def test_a_home_that_somebody_named_by_mistake_goes_on(at: Place, bucket: FolderBucket, tmp_path: Path) -> None:
    moved(at, URL)
    there = tmp_path / "other"
    assert nightly(load_settings(environ=at.environ(home=there))).exit_code == 0
    with pytest.raises(PropsyncError, match="it holds runs of its own"):
        moved(at, str(there), storage_url=URL)
    assert nightly(load_settings(environ=at.environ(home=there))).exit_code == 0


def test_a_home_on_a_disk_goes_on_if_a_bucket_refuses_a_move_to_that_home(at: Place, bucket: FolderBucket) -> None:
    """Nothing of it is in a bucket, so no run has to wait for the end of that move."""
    moved(at, URL)
    moved(at, str(at.path), storage_url=URL)
    assert nightly(load_settings(environ=at.environ())).exit_code == 0
    with pytest.raises(PropsyncError, match="it holds runs of its own"):
        moved(at, str(at.path), storage_url=URL)
    assert nightly(load_settings(environ=at.environ())).exit_code == 0


def test_a_home_does_not_return_to_a_bucket_that_it_has_left(at: Place, bucket: FolderBucket) -> None:
    """Home no longer knows what is its own there, and a rebuild without the bucket would change nothing."""
    moved(at, URL)
    moved(at, str(at.path), storage_url=URL)
    with pytest.raises(UsageError, match=f"{URL} holds runs that this home does not have. Give an unused folder"):
        moved(at, URL)
    assert nightly(load_settings(environ=at.environ())).exit_code == 0


def test_no_run_begins_without_the_bucket_of_its_home_until_that_has_left_it(at: Place, bucket: FolderBucket) -> None:
    """The bucket would lack the run, and other machines would not see it."""
    moved(at, URL)
    with pytest.raises(SettingsError, match=f"it is not set, and {at.path} is in {URL}"):
        nightly(load_settings(environ=at.environ()))
    moved(at, str(at.path), storage_url=URL)
    assert nightly(load_settings(environ=at.environ())).exit_code == 0


def test_nothing_reads_the_rest_of_a_home_without_its_bucket(at: Place, bucket: FolderBucket, tmp_path: Path) -> None:
    """A search would find no trace of what the bucket has, a bag would lack documents, and a move has no source."""
    moved(at, URL)
    settings = load_settings(environ=at.environ())
    for command in (
        lambda: verify_erased(settings, "Zyx Quagmire"),
        lambda: export(settings, tmp_path / "bag"),
        lambda: move_storage(settings, str(tmp_path / "other")),
    ):
        with pytest.raises(SettingsError, match=f"it is not set, and {at.path} is in {URL}"):
            command()


def test_choices_and_lists_come_along_to_a_disk(at: Place, bucket: FolderBucket, tmp_path: Path) -> None:
    moved(at, URL)
    choices = '[privacy]\nhide = ["assets.fields[Location]"]\n[reference]\nusers = "lists/users.csv"\n'
    (at.path / "propsync.toml").write_text(choices)
    (at.path / "lists").mkdir()
    (at.path / "lists/users.csv").write_text("user_id,name\n")
    (at.path / "checks").mkdir()
    (at.path / "checks/no_place.sql").write_text("-- severity: fail\nfrom assets where property_id is null\n")
    moved(at, str(tmp_path / "other"), storage_url=URL)
    assert (tmp_path / "other/propsync.toml").read_text() == choices
    assert (tmp_path / "other/lists/users.csv").read_text() == "user_id,name\n"
    assert (tmp_path / "other/checks/no_place.sql").read_text().startswith("-- severity: fail")

    (tmp_path / "other/propsync.toml").write_text("page_limit = 7\n")
    moved(at, str(tmp_path / "other"), storage_url=URL)
    assert (tmp_path / "other/propsync.toml").read_text() == "page_limit = 7\n"


def test_accepted_hints_come_along_to_another_folder(at: Place, bucket: FolderBucket, tmp_path: Path) -> None:
    moved(at, URL)
    Inbox(LocalStorage(at.path)).add([Post(datetime.now(UTC), b"[]")] * 2)
    moved(at, str(tmp_path / "other"), storage_url=URL)
    assert Inbox(LocalStorage(tmp_path / "other")).count() == 2


def test_a_search_after_an_erasure_names_the_places_that_the_home_has_left(
    at: Place, bucket: FolderBucket, tmp_path: Path
) -> None:
    note_left(LocalStorage(at.path), "s3://its-first-bucket/home")
    moved(at, URL)
    moved(at, str(tmp_path / "other"), storage_url=URL)
    other = at.settings(home=tmp_path / "other")
    note_left(LocalStorage(other.home), str(other.home))  # it came back
    places = [one.what for one in verify_erased(other, "nobody has this").beyond if "has left" in one.what]
    assert places == [
        f"files of this home in {place}, which it has left: remove them there"
        for place in ("s3://its-first-bucket/home", at.path, URL)
    ]
