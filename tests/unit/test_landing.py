"""Promises of landing: a page is kept once and comes back as it was; a snapshot exists whole or not at all."""

import dataclasses
import gzip
import hashlib
import zlib

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from propsync.errors import BaseLost, ManifestUnreadable, PageLost
from propsync.landing import Base, Bases, Certificate, Inspection, Landed, Manifest, Manifests, PageStore
from propsync.landing.manifests import manifest_key
from propsync.landing.pages import page_key
from propsync.storage import LocalStorage

bodies = st.binary(max_size=2000).map(lambda tail: b"[" + tail)  # JSON opens with a bracket or a brace


def zstd(body):
    return zstandard.ZstdCompressor().compress(body)


def zstd_stream(body):
    """As servers stream it: the frame does not tell its size."""
    stream = zstandard.ZstdCompressor().compressobj()
    return stream.compress(body) + stream.flush()


def in_two(pack):
    return lambda body: pack(body[: len(body) // 2]) + pack(body[len(body) // 2 :])


PACKED = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": zstd,
    "zstd of unknown size": zstd_stream,
    "two gzip members": in_two(gzip.compress),
    "two zstd frames": in_two(zstd),
}


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(tmp_path)


@pytest.mark.parametrize("packed", PACKED)
@given(body=bodies)
def test_a_page_comes_back_as_it_was_however_it_was_packed(tmp_path_factory, packed, body):
    pages = PageStore(LocalStorage(tmp_path_factory.mktemp("landing")))
    assert pages.get(pages.put(PACKED[packed](body), body)) == body


def test_a_page_is_kept_once_by_the_hash_of_what_it_holds_whatever_its_packing(storage):
    body = b'{"total":0,"assets":[]}' * 50
    pages = PageStore(storage)
    hashes = {pages.put(pack(body), body) for pack in PACKED.values()}
    assert hashes == {hashlib.sha256(body).hexdigest()}
    assert storage.list("") == [f"landing/pages/{next(iter(hashes))[:2]}/{next(iter(hashes))}"]
    assert storage.get(storage.list("")[0]) == body  # as it came first: propsync does not write it again


@pytest.mark.parametrize("packed", ["gzip", "zstd"])
def test_a_page_is_kept_in_the_form_in_which_it_came(storage, packed):
    body = b"[" + b" " * 5000
    raw = PACKED[packed](body)
    PageStore(storage).put(raw, body)
    assert storage.get(storage.list("")[0]) == raw


def test_a_packing_that_does_not_tell_itself_is_undone_before_it_is_kept(storage):
    body = b"[" + b" " * 5000
    sha256 = PageStore(storage).put(zlib.compress(body), body)
    assert storage.get(storage.list("")[0]) == body
    assert PageStore(storage).get(sha256) == body


def test_a_page_never_kept_is_not_found(storage):
    with pytest.raises(PageLost):
        PageStore(storage).get("0" * 64)


DAMAGE = {
    "altered": lambda stored: bytes(
        [*stored[: len(stored) // 2], stored[len(stored) // 2] ^ 1, *stored[len(stored) // 2 + 1 :]]
    ),
    "cut": lambda stored: stored[: len(stored) // 2],
    "emptied": lambda _: b"",
    "replaced": lambda _: b"[]",
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("packed", PACKED)
def test_a_body_that_is_not_what_its_name_says_is_never_given_out(storage, packed, damage):
    body = b'{"total":1,"assets":[{"id":"a"}]}' * 50
    sha256 = PageStore(storage).put(PACKED[packed](body), body)
    (storage.root / page_key(sha256)).write_bytes(DAMAGE[damage](storage.get(page_key(sha256))))
    with pytest.raises(PageLost, match=page_key(sha256)):
        PageStore(storage).get(sha256)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("packed", PACKED)
def test_a_damaged_body_is_stored_again_from_what_was_received(storage, packed, damage):
    body = b'{"total":1,"assets":[{"id":"a"}]}' * 50
    sha256 = PageStore(storage).put(body, body)
    (storage.root / page_key(sha256)).write_bytes(DAMAGE[damage](body))
    assert PageStore(storage).put(PACKED[packed](body), body) == sha256
    assert PageStore(storage).get(sha256) == body


def test_a_body_in_the_place_of_a_folder_or_the_reverse_is_damage_too(storage):
    sha256 = hashlib.sha256(b"[1]").hexdigest()
    (storage.root / page_key(sha256)).mkdir(parents=True)
    with pytest.raises(PageLost, match="Is a directory"):
        PageStore(storage).get(sha256)


landed = st.builds(Landed, asked_at=st.floats(0, 4e9), attempt=st.integers(1, 9), sequence=st.integers(1, 10**6))
certificates = st.from_type(Certificate)
plain = st.dictionaries(st.text(), st.text() | st.integers(-(2**53), 2**53) | st.none() | st.booleans(), max_size=3)


@given(st.builds(Manifest, landed=st.lists(landed, max_size=3), shape=plain, settings=plain))
def test_a_manifest_comes_back_as_it_was(tmp_path_factory, manifest):
    manifest.resource, manifest.run_id = "assets", "20260101T000000000000Z"
    manifests = Manifests(LocalStorage(tmp_path_factory.mktemp("landing")))
    manifests.put(manifest)
    assert manifests.get("assets", manifest.run_id) == manifest


@pytest.mark.parametrize("damage", [one for one in DAMAGE if one != "replaced"])
def test_a_manifest_of_which_one_byte_is_another_is_damaged(storage, damage):
    manifests = Manifests(storage)
    manifests.put(with_page("1", "assets", "a" * 64))
    key = manifest_key("assets", "1")
    (storage.root / key).write_bytes(DAMAGE[damage](storage.get(key)))
    with pytest.raises(ManifestUnreadable, match=key):
        manifests.get("assets", "1")
    with pytest.raises(ManifestUnreadable, match=key):
        manifests.named()
    assert manifests.sound("assets", "1") is None


def test_no_single_byte_of_a_manifest_can_change_unnoticed(storage):
    Manifests(storage).put(with_page("1", "assets", "a" * 64))
    path = storage.root / manifest_key("assets", "1")
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ManifestUnreadable):
            Manifests(storage).get("assets", "1")


def test_a_manifest_that_was_copied_into_another_snapshot_is_damaged(storage):
    Manifests(storage).put(manifest("1"))
    storage.put(manifest_key("assets", "2"), storage.get(manifest_key("assets", "1")))
    with pytest.raises(ManifestUnreadable, match="it belongs to assets of run 1"):
        Manifests(storage).get("assets", "2")


def test_a_manifest_from_before_there_were_seals_is_read_as_it_is(storage):
    old = dataclasses.replace(manifest("1"), version=1)
    storage.put(manifest_key("assets", "1"), msgspec.json.format(msgspec.json.encode(old), indent=1))
    assert Manifests(storage).get("assets", "1") == old


def manifest(run_id, resource="assets"):
    return Manifest(run_id, "2026-01-01T00:00:00.000000+00:00", resource, "certified", 1, {}, {})


def test_a_snapshot_without_its_manifest_does_not_exist(storage):
    PageStore(storage).put(b"[]", b"[]")
    manifests = Manifests(storage)
    assert manifests.get("assets", "1") is None
    assert manifests.runs("assets") == []
    folder = storage.root / "landing" / "assets" / "1"
    folder.mkdir(parents=True)
    (folder / "tmp.partial").write_bytes(msgspec.json.encode(manifest("1")))
    assert manifests.get("assets", "1") is None
    assert manifests.runs("assets") == []


def test_runs_that_landed_a_resource_are_told_oldest_first(storage):
    manifests = Manifests(storage)
    for run_id in ("20260102T0Z", "20251231T0Z", "20260101T0Z"):
        manifests.put(manifest(run_id))
    manifests.put(manifest("20260103T0Z", "asset_types"))
    assert manifests.runs("assets") == ["20251231T0Z", "20260101T0Z", "20260102T0Z"]
    assert manifests.get("assets", "20260103T0Z") is None


def with_page(run_id, resource, sha256):
    told = manifest(run_id, resource)
    told.landed = [Landed(1, "GET /", "all", "page", 1, 0.0, sha256, 2)]
    return told


def test_runs_are_told_with_what_each_landed(storage):
    manifests = Manifests(storage)
    for run_id, resource in (("2", "assets"), ("1", "schedules"), ("2", "asset_types")):
        manifests.put(manifest(run_id, resource))
    assert list(manifests.all_runs().items()) == [("1", ["schedules"]), ("2", ["asset_types", "assets"])]
    manifests.delete("assets", "2")
    manifests.delete("schedules", "1")
    assert manifests.all_runs() == {"2": ["asset_types"]}


def test_only_pages_that_no_snapshot_names_go(storage):
    pages, manifests = PageStore(storage), Manifests(storage)
    first, second, third = (pages.put(body, body) for body in (b"[1]", b"[2]", b"[3]"))
    manifests.put(with_page("1", "assets", first))
    manifests.put(with_page("2", "schedules", second))
    assert manifests.named() == {first, second}
    assert pages.keep_only(manifests.named()) == 1
    assert pages.get(first) == b"[1]"
    with pytest.raises(PageLost):
        pages.get(third)


def test_a_manifest_that_cannot_be_read_is_told_by_its_place(storage):
    manifests = Manifests(storage)
    storage.put("landing/assets/1/manifest.json", b"{")
    with pytest.raises(ManifestUnreadable, match=r"landing/assets/1/manifest\.json"):
        manifests.named()
    with pytest.raises(ManifestUnreadable):
        manifests.get("assets", "1")


@pytest.fixture
def finished(tmp_path):
    """Makes a finished file, as it stands before it is put in place."""

    def make(name, body):
        path = tmp_path / f"{name}.partial"
        path.write_bytes(body)
        return path

    return make


def test_a_base_exists_once_its_manifest_does_and_the_newest_counts(storage, finished):
    bases = Bases(storage)
    assert bases.newest() is None
    kept = bases.put_file("1", "history.assets", finished("a", b"one"))
    assert bases.newest() is None
    bases.put(Base("1", {"history.assets": kept}))
    assert bases.newest() == Base("1", {"history.assets": kept})
    bases.put(Base("2", {"history.assets": kept, "ops.runs": bases.put_file("2", "ops.runs", finished("b", b"two"))}))
    newest = bases.newest()
    assert newest.run_id == "2"
    assert newest is not None
    assert {name: path.read_bytes() for name, path in bases.paths(newest).items()} == {
        "history.assets": b"one",
        "ops.runs": b"two",
    }


def test_what_the_newest_base_does_not_name_goes(storage, finished):
    bases = Bases(storage)
    kept = bases.put_file("1", "history.assets", finished("a", b"one"))
    other = bases.put_file("1", "ops.runs", finished("b", b"old"))
    bases.put(Base("1", {"history.assets": kept, "ops.runs": other}))
    newest = Base("2", {"history.assets": kept})
    bases.put(newest)
    bases.put_file("3", "ops.runs", finished("c", b"of a pruning that was killed"))
    assert bases.keep_only(newest) == 3
    assert storage.list("landing/base") == ["landing/base/1/history.assets.parquet", "landing/base/2/manifest.json"]
    assert bases.newest() == newest


@pytest.mark.parametrize("damage", ["gone", "changed"])
def test_a_damaged_base_is_told_by_the_file(storage, finished, damage):
    bases = Bases(storage)
    kept = bases.put_file("1", "history.assets", finished("a", b"one"))
    bases.put(Base("1", {"history.assets": kept}))
    if damage == "gone":
        storage.delete(kept.key)
    else:
        storage.put(kept.key, b"two")
    newest = bases.newest()
    assert newest is not None
    with pytest.raises(BaseLost, match=kept.key):
        bases.paths(newest)
    storage.put("landing/base/1/manifest.json", b"[")
    with pytest.raises(BaseLost, match="manifest"):
        bases.newest()


def test_every_damaged_file_of_landing_is_named_with_its_snapshot(storage):
    pages, manifests = PageStore(storage), Manifests(storage)
    sound, altered, missing = (pages.put(body, body) for body in (b"[1]", b"[2]", b"[3]"))
    for run_id, sha256 in (("1", sound), ("2", altered), ("3", missing), ("4", sound)):
        manifests.put(with_page(run_id, "assets", sha256))
    (storage.root / page_key(altered)).write_bytes(b"[9]")
    storage.delete(page_key(missing))
    (storage.root / manifest_key("assets", "4")).write_bytes(b"{}")
    inspection = Inspection(storage, most_bytes=10**6)
    found = [(one.run_id, one.resource, one.file) for one in inspection.damage([("1", "assets"), ("5", "schedules")])]
    assert found == [
        ("5", "schedules", manifest_key("schedules", "5")),
        ("4", "assets", manifest_key("assets", "4")),
        ("3", "assets", page_key(missing)),
        ("2", "assets", page_key(altered)),
    ]
    assert (inspection.bodies, inspection.hashed) == (3, 3)


def test_bodies_beyond_the_bound_are_looked_for_though_not_hashed(storage):
    pages, manifests = PageStore(storage), Manifests(storage)
    older, newer = (pages.put(body, body) for body in (b"[1]", b"[2]"))
    manifests.put(with_page("1", "assets", older))
    manifests.put(with_page("2", "assets", newer))
    (storage.root / page_key(older)).write_bytes(b"[9]")
    inspection = Inspection(storage, most_bytes=3)
    assert inspection.damage([]) == []
    assert (inspection.bodies, inspection.hashed) == (2, 1)
    storage.delete(page_key(older))
    assert [one.what for one in Inspection(storage, most_bytes=3).damage([])] == ["it is missing"]


def test_what_a_base_stands_for_is_not_missed_and_a_damaged_base_is_named(storage, finished):
    bases = Bases(storage)
    kept = bases.put_file("3", "history.assets", finished("a", b"one"))
    bases.put(Base("3", {"history.assets": kept}))
    assert Inspection(storage, most_bytes=0).damage([("2", "assets"), ("3", "assets")]) == []
    storage.put(kept.key, b"two")
    assert [one.file for one in Inspection(storage, most_bytes=0).damage([])] == [kept.key]
