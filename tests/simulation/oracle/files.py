"""The files on the disk after a run: landing, leftovers, and the note beside what was published."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Set
from pathlib import Path

import zstandard

from .problems import Problems
from .published import Published

_SHA256 = re.compile(rb"[0-9a-f]{64}")


def check_landing(home: Path, problems: Problems, rotten: Set[str] = frozenset()) -> None:
    """Each file is named by a manifest, each that a manifest names exists, and holds what its name says.

    Of `rotten` bodies, which were damaged from outside, nothing is said.
    """
    landing = home / "landing"
    pages = {path.name: path for path in (landing / "pages").rglob("*") if path.is_file()}
    named = {
        name.decode()
        for path in landing.glob("*/*/manifest.json")
        if path.parent.parent.name != "base"
        for name in _SHA256.findall(path.read_bytes())
    }
    unnamed, lost = sorted(pages.keys() - named), sorted(named - pages.keys() - rotten)
    problems.expect(not unnamed, "nothing in landing that no manifest names", unnamed)
    problems.expect(not lost, "every page that a manifest names is there", lost)
    kept = (path for name, path in pages.items() if name in named - rotten)
    wrong = [path.name for path in kept if not is_sound(path)]
    problems.expect(not wrong, "a page holds what its name says", wrong)
    _check_base(home, problems)


def check_received(home: Path, run_id: str | None, problems: Problems) -> None:
    """Each body that a run received is whole in landing, whatever was under its name before."""
    for manifest in home.glob(f"landing/*/{run_id}/manifest.json"):
        for one in json.loads(manifest.read_bytes()).get("landed", ()):
            path = home / "landing" / "pages" / one["sha256"][:2] / one["sha256"]
            problems.expect(path.exists() and is_sound(path), "what a run received is whole in landing", path.name)


def _check_base(home: Path, problems: Problems) -> None:
    """The same of history that stands for snapshots that were pruned."""
    base = home / "landing" / "base"
    manifests = list(base.glob("*/manifest.json"))
    problems.expect(len(manifests) <= 1, "one base at most", manifests)
    files = [one for path in manifests for one in json.loads(path.read_bytes())["files"].values()]
    there = {path for path in base.rglob("*") if path.is_file()}
    problems.expect(there == {*manifests, *(home / one["key"] for one in files)}, "a base has its files", there)
    for one in files:
        same = hashlib.sha256((home / one["key"]).read_bytes()).hexdigest() == one["sha256"]
        problems.expect(same, "a file of a base holds what its manifest says", one["key"])


def check_merged(home: Path, found: Published, problems: Problems) -> None:
    """A later run used each body that was landed whole, whatever became of the run that landed it."""
    dealt_with = set(found.rows("select resource, run_id from ops.run_resources"))
    landed = {path.parts[-3:-1] for path in (home / "landing").glob("*/*/manifest.json")}
    forgotten = sorted(one for one in landed - dealt_with if one[0] != "base")
    problems.expect(not forgotten, "what was landed is merged", forgotten)


def check_leftovers(home: Path, problems: Problems, *, of_documents: bool) -> None:
    """No unfinished file outlives a run that ended; those of documents are for runs on documents to remove."""
    under_way = home / "archive" / "partial"
    found = [path for path in home.rglob("*.partial") if of_documents or path.parent != under_way]
    left = [str(path.relative_to(home)) for path in found]
    problems.expect(not left, "no unfinished files after a run", left)
    wal = home / "published" / "warehouse.duckdb.wal"
    problems.expect(not wal.exists(), "no journal of DuckDB's beside what is published", wal)


def check_note(home: Path, run_id: str | None, problems: Problems, *, with_documents: bool) -> None:
    """`_published.json` names the run, or one on documents after it, and each file by the hash of what it holds."""
    folder = home / "published"
    note = json.loads((folder / "_published.json").read_text())
    is_so = note["run"] == run_id or (with_documents and note["run"] > (run_id or ""))
    problems.expect(is_so, "the note names the run", note["run"], run_id)
    for name, sha256 in note["files"].items():
        path = folder / name
        same = path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256
        problems.expect(same, "the note's hashes are those of the files", name)
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    problems.expect(there == {"_published.json", *note["files"]}, "only what the note names is published", there)


def is_sound(path: Path) -> bool:
    """Whether a body is what its name says."""
    try:
        return hashlib.sha256(_unpacked(path)).hexdigest() == path.name
    except (OSError, EOFError, zlib.error, zstandard.ZstdError):
        return False


def _unpacked(path: Path) -> bytes:
    body = path.read_bytes()
    if body.startswith(b"\x1f\x8b"):
        return gzip.decompress(body)
    if body.startswith(b"\x28\xb5\x2f\xfd"):
        with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as frames:
            return frames.read()
    return body
