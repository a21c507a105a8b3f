"""A base in the bucket outlives a disk that damages its files."""

from __future__ import annotations

from pathlib import Path

from propsync.bucket.commits import Contents, Place
from propsync.bucket.durable import changed_keys, durable_keys
from propsync.bucket.known import Known
from propsync.landing import Base, Bases
from propsync.storage import LocalStorage

RUN = "20260302T010000000000Z"


def with_base(home: LocalStorage, body: bytes) -> str:
    """Writes a base of one table; returns the key of its file."""
    source = home.root / "made"
    source.write_bytes(body)
    file = Bases(home).put_file(RUN, "history.assets", source)
    Bases(home).put(Base(RUN, {"history.assets": file}))
    return file.key


def test_a_damaged_file_does_not_replace_the_sound_one(tmp_path: Path) -> None:
    home = LocalStorage(tmp_path)
    key = with_base(home, b"sound")
    keys = durable_keys(home)
    known = Known("s3://bucket/home", Contents(places=dict.fromkeys(keys, Place("packs/1", 0, 5, ""))))
    assert {name for name, _ in changed_keys(home, known, keys)} == {*keys}, "nothing is known of their times"
    (tmp_path / key).write_bytes(b"rotten")
    assert key not in dict(changed_keys(home, known, keys))
    assert with_base(home, b"written again") == key
    assert key in dict(changed_keys(home, known, keys))
    (tmp_path / f"landing/base/{RUN}/manifest.json").write_bytes(b"{}")
    assert key not in dict(changed_keys(home, known, keys))
