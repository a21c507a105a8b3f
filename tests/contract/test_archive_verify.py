"""propsync finds rotten and lost files of the archive, fetches them again if it can, and reports the others."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.archives import SMALL, Place, flaws, place
from kit.home import QUICK, Rows

from propsync.cli.archive import print_verify
from propsync.cli.status.command import print_status
from propsync.documents.blobs import Blobs
from propsync.errors import Busy, TokenRefused
from propsync.runbooks.archiving import verify as archive_verify
from propsync.runbooks.archiving.archive import archive
from propsync.runbooks.archiving.verify import verify
from propsync.runbooks.archiving.verify_report import VerifyReport
from propsync.runs import RunLock

TWO_DAYS = 2 * 86_400


@pytest.fixture
def at(archived_small: Path, tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path / "home", archived_small, scale=SMALL) as made:
        made.sandbox.journal.clear()
        yield made


def verified(at: Place, limit: int | None = None, *, remove_orphans: bool = False, **given: Any) -> VerifyReport:
    return verify(at.settings(**given), limit, remove_orphans=remove_orphans, policy=QUICK)


def stored(at: Place, kind: str = "report", place: int = 0) -> tuple[str, Path]:
    """An assessment and the file of its document."""
    query = f"select assessment_id, path from documents where is_latest and kind = '{kind}' order by assessment_id"
    key, path = at.rows(query)[place]
    return key, at.path / path


def rot(file: Path) -> None:
    body = bytearray(file.read_bytes())
    body[len(body) // 2] ^= 1
    file.write_bytes(body)


def versions(at: Place, key: str, kind: str = "report") -> Rows:
    query = "select version, is_latest, state, last_error is null from documents"
    return at.rows(f"{query} where assessment_id = '{key}' and kind = '{kind}' order by version nulls last")


def test_files_that_are_what_they_should_be_are_noted_and_nothing_is_asked_for(at: Place):
    report = verified(at)
    count = len(list((at.path / "archive" / "blobs").rglob("*.*")))
    assert (report.exit_code, report.counts["files"], report.due) == (0, count, 0)
    assert at.rows("select count(*) from documents where verified_at is null") == [(0,)]
    assert not at.asked()


@pytest.mark.costly
@pytest.mark.parametrize("kind", ["report", "bundle"])
@pytest.mark.parametrize("harm", [rot, Path.unlink], ids=["rot", "gap"])
def test_what_rotted_or_is_gone_is_fetched_again(at: Place, kind: str, harm: Any):
    key, file = stored(at, kind)
    harm(file)
    report = verified(at)
    assert file.read_bytes() == at.truth(key, kind)
    assert (report.exit_code, report.counts["mended"], report.lost) == (0, 1, 0)
    assert [str(file.relative_to(at.path)) in line and key in line for line in report.mended] == [True]
    assert at.asked() == {(key, kind): 1}
    assert not [*(at.path / "archive" / "rotten").rglob("*.*")]
    assert versions(at, key, kind) == [(1, True, "stored", True)]
    assert flaws(at.path) == []


@pytest.mark.release
def test_verified_twice_is_verified_once(at: Place):
    rot(stored(at)[1])
    verified(at)
    before = at.rows("select * exclude (verified_at) from documents order by all")
    at.asked()
    assert verified(at).counts["rotten"] == 0
    assert at.rows("select * exclude (verified_at) from documents order by all") == before
    assert not at.asked()


@pytest.mark.release
def test_files_that_a_clock_ahead_verified_are_verified_again(at: Place):
    at.in_state("update documents set verified_at = now() + to_days(400)")
    rot(stored(at)[1])
    assert verified(at).counts["mended"] == 1
    assert verified(at).counts["files"] == len(list((at.path / "archive" / "blobs").rglob("*.*")))


@pytest.mark.release
def test_where_the_api_gives_other_bytes_by_now_they_are_a_new_version_and_the_old_one_is_told_lost(at: Place):
    key, file = stored(at)
    at.edit(key)
    rot(file)
    report = verified(at)
    assert (report.exit_code, report.lost, report.counts["mended"]) == (3, 1, 0)
    assert versions(at, key) == [(1, False, "stored", False), (2, True, "stored", True)]
    assert at.stored()[key, "report"] == at.truth(key, "report")
    assert not file.exists()
    (told,) = report.not_mended
    assert key in told
    assert "the API now gives different bytes" in told
    ((error,),) = at.rows(
        f"select last_error from documents where assessment_id = '{key}' and version = 1 and kind = 'report'"
    )
    told = "its bytes had changed since propsync stored it (the damaged file is in archive/rotten)"
    assert error.startswith(f"its file was lost: {told}; ")


@pytest.mark.release
def test_what_is_lost_for_good_is_told_every_time_and_takes_no_room_from_the_others(at: Place):
    key, file = stored(at)
    at.edit(key)
    file.unlink()
    verified(at)
    at.asked()
    for _ in range(3):
        report = verified(at, 1)
        assert (report.exit_code, report.lost, report.counts["files"]) == (3, 1, 1)
        assert "it was missing" in report.not_mended[0]
    assert at.rows("select count(distinct verified_at) from documents")[0][0] >= 4
    assert not at.asked()


@pytest.mark.release
def test_status_sends_whoever_lost_a_file_to_the_archive(at: Place, capsys: pytest.CaptureFixture[str]):
    key, file = stored(at)
    at.edit(key)
    file.unlink()
    verified(at)
    capsys.readouterr()
    print_status(at.settings(), None, as_json=False)
    assert capsys.readouterr().out.splitlines()[-1].startswith("Next: propsync archive verify")


@pytest.mark.slow
def test_an_archive_whose_disk_is_not_mounted_is_told_by_a_night_and_by_the_status(
    at: Place, capsys: pytest.CaptureFixture[str]
):
    """The night exited 0, and the status said that all documents were kept and none was lacking."""
    blobs, away = at.path / "archive/blobs", at.path / "away"
    blobs.rename(away)
    count = sum(1 for file in away.rglob("*.*"))
    report = archive(at.settings(), policy=QUICK)
    assert report.exit_code == 3
    (line,) = report.left_behind
    assert line.startswith(f"stored documents without a file in archive/: {count}. If a disk of its own")
    print_status(at.settings(), None, as_json=False)
    shown = capsys.readouterr().out
    assert f" kept, {count} files missing in archive/ " in shown
    assert shown.endswith("Next: if a disk of its own belongs there, mount it. Then run `propsync archive verify`\n")
    away.rename(blobs)
    assert at.archive().exit_code == 0
    next(blobs.rglob("*.pdf")).unlink()
    for _ in range(2):
        assert "without a file in archive/: 1. If" in archive(at.settings(), policy=QUICK).left_behind[0]
    assert verified(at).exit_code == 0
    print_status(at.settings(), None, as_json=False)
    assert "missing in archive/" not in capsys.readouterr().out


@pytest.mark.slow
def test_an_older_version_is_not_asked_for_and_what_is_left_of_it_stays_aside(at: Place):
    key, file = stored(at)
    at.edit(key)
    at.sync()
    at.archive(["report"])
    at.asked()
    whole = file.read_bytes()
    rot(file)
    damaged = file.read_bytes()
    aside = at.path / "archive" / "rotten" / file.relative_to(at.path / "archive" / "blobs")
    for _ in range(2):
        report = verified(at)
        assert (report.exit_code, report.lost) == (3, 1)
        assert "not the latest version" in report.not_mended[0]
        assert "the damaged file is in archive/rotten" in report.not_mended[0]
        assert (aside.read_bytes(), file.exists()) == (damaged, False)
    assert not at.asked()

    file.write_bytes(whole)  # somebody restores it
    assert verified(at).exit_code == 0
    assert not aside.exists()


@pytest.mark.slow
def test_an_assessment_that_is_gone_has_nothing_to_mend_with(at: Place):
    key, file = stored(at)
    at.sandbox.world.assessments.delete(key)
    file.unlink()
    report = verified(at)
    assert (report.exit_code, report.lost) == (3, 1)
    assert "the API no longer has it" in report.not_mended[0]
    assert versions(at, key) == [(1, True, "stored", False), (None, False, "missing", False)]


@pytest.mark.release
def test_what_could_not_be_asked_for_is_mended_the_next_time_and_its_mark_is_gone(at: Place):
    key, file = stored(at)
    rot(file)
    report = verified(at, base_url="http://127.0.0.1:9")  # nobody listens there
    assert (report.exit_code, report.lost, report.due) == (3, 1, 0)
    assert report.ended
    assert report.ended in report.not_mended[0]
    assert not file.exists()
    lacking = "select assessment_id, kind, reason, last_error from marts.document_coverage where reason = 'lost'"
    assert [row[:3] for row in at.rows(lacking)] == [(key, "report", "lost")]
    assert verified(at).exit_code == 0
    assert at.rows(lacking) == []
    assert file.read_bytes() == at.truth(key, "report")
    assert versions(at, key) == [(1, True, "stored", True)]


@pytest.mark.slow
def test_an_archive_run_that_brings_a_file_back_takes_its_mark_away(at: Place):
    key, file = stored(at)
    at.fail(kind="status", status=500)
    file.unlink()
    assert verified(at).lost == 1
    at.sandbox.set_faults([])
    at.days_pass(1)
    at.archive()
    assert versions(at, key) == [(1, True, "stored", True)]
    assert file.read_bytes() == at.truth(key, "report")


@pytest.mark.slow
def test_so_many_a_night_and_those_least_recently_verified_first(at: Place):
    count = len(list((at.path / "archive" / "blobs").rglob("*.*")))
    assert verified(at, 5).due == count - 5
    first = at.rows("select path from documents where verified_at is not null order by path")
    assert len(first) == 5
    assert verified(at, count - 5).due == 5  # those of the first night, verified before this one began
    assert at.rows("select count(*) from documents where verified_at is null") == [(0,)]
    oldest = "select path from documents order by verified_at, path limit 5"
    assert sorted(at.rows(oldest)) == first
    verified(at, 5)
    assert not set(at.rows(oldest)) & set(first)


@pytest.mark.slow
def test_interrupted_it_keeps_the_chunks_before(at: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(archive_verify, "_CHUNK", 4)
    hashed, plainly = [], Blobs.sha256

    def dying(blobs: Blobs, key: str) -> str:
        hashed.append(key)
        if len(hashed) == 11:
            raise KeyboardInterrupt
        return plainly(blobs, key)

    monkeypatch.setattr(Blobs, "sha256", dying)
    with pytest.raises(KeyboardInterrupt):
        verified(at)
    report = verified(at)
    assert report.exit_code == 0
    assert hashed[:8] == sorted(hashed[:8])
    assert hashed[11:14] == hashed[8:11]
    assert at.rows("select count(distinct path) from documents where verified_at is null") == [(0,)]


@pytest.mark.slow
def test_what_was_fetched_before_a_kill_is_noted_by_the_next_run(at: Place, monkeypatch: pytest.MonkeyPatch):
    key, file = stored(at)
    at.edit(key)
    rot(file)
    monkeypatch.setattr(archive_verify._Verify, "_note", lambda *_: sys.exit("killed"))
    with pytest.raises(SystemExit):
        verified(at)
    monkeypatch.undo()
    at.asked()
    report = verified(at)
    assert (report.lost, report.counts["orphans"]) == (1, 0)
    assert versions(at, key) == [(1, False, "stored", False), (2, True, "stored", True)]
    assert not at.asked()


@pytest.mark.release
def test_orphans_are_told_and_removed_only_if_asked_for_and_a_day_old(at: Place):
    folder = at.path / "archive" / "blobs" / "00"
    folder.mkdir(exist_ok=True)
    young, old, taken = (folder / f"{name * 64}.pdf" for name in "123")
    for file in (young, old, taken):
        file.write_bytes(b"%PDF-1.7")
    os.utime(old, (time.time() - TWO_DAYS,) * 2)
    report = verified(at)
    assert (report.exit_code, report.counts["orphans"]) == (3, 3)
    assert old.exists()
    taken.unlink()
    report = verified(at, remove_orphans=True)
    assert (report.exit_code, report.counts["removed"], report.orphans_left) == (0, 1, 0)
    assert report.counts["young_orphans"] == 1
    assert [str(young.relative_to(at.path)) in line for line in report.orphans] == [True]
    assert (young.exists(), old.exists()) == (True, False)
    os.utime(young, (time.time() - TWO_DAYS,) * 2)
    assert verified(at, remove_orphans=True).exit_code == 0
    assert flaws(at.path) == []


@pytest.mark.release
def test_an_orphan_that_is_too_young_to_remove_asks_for_another_day_only(at: Place, capsys: pytest.CaptureFixture[str]):
    file = at.path / "archive" / "blobs" / "00" / f"{'1' * 64}.pdf"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"%PDF-1.7")
    report = verified(at)
    assert (report.exit_code, report.left_behind) == (0, [])
    print_verify(report, as_json=False)
    told = capsys.readouterr().out
    assert "; 1 orphan, 0 removed" in told
    assert "1 orphan is too young to remove: run this again tomorrow" in told
    assert "--remove-orphans" not in told
    os.utime(file, (time.time() - TWO_DAYS,) * 2)
    report = verified(at)
    assert (report.exit_code, report.left_behind) == (3, ["1 file that no version names is left"])
    print_verify(report, as_json=False)
    assert "1 orphan is left. Next: propsync archive verify --remove-orphans" in capsys.readouterr().out


@pytest.mark.release
def test_a_file_that_cannot_be_read_is_told_and_left_alone(at: Place, monkeypatch: pytest.MonkeyPatch):
    _, file = stored(at)
    plainly = Blobs.sha256

    def failing(blobs: Blobs, key: str) -> str:
        if key.endswith(file.name):
            raise OSError(errno.EIO, "Input/output error")
        return plainly(blobs, key)

    monkeypatch.setattr(Blobs, "sha256", failing)
    report = verified(at)
    assert (report.exit_code, report.lost, report.counts["unreadable"]) == (3, 1, 1)
    assert "Input/output error" in report.not_mended[0]
    assert file.exists()
    assert not at.asked()
    monkeypatch.undo()
    assert verified(at).exit_code == 0


@pytest.mark.slow
def test_a_refused_token_ends_it_after_what_was_found_is_noted(at: Place):
    _, file = stored(at)
    rot(file)
    with pytest.raises(TokenRefused):
        verified(at, token="tok-of-another")
    assert at.rows("select count(*) from documents where last_error is not null") == [(1,)]
    assert verified(at).exit_code == 0


@pytest.mark.slow
def test_a_damaged_file_whose_bytes_come_again_is_whole_at_once(at: Place):
    _, file = stored(at)
    rot(file)
    at.days_pass(91)
    assert at.archive(["report"]).counts["same"] == len(at.pairs("report"))
    assert verified(at).counts["rotten"] == 0


@pytest.mark.release
def test_rows_that_are_asked_for_again_keep_when_they_were_verified(at: Place):
    verified(at)
    before = at.rows("select path, verified_at from documents order by all")
    at.days_pass(91)
    at.archive()
    assert at.rows("select path, verified_at from documents order by all") == before
    assert at.rows("select count(*) from documents where verified_at is null") == [(0,)]


def test_it_never_runs_beside_an_archive_run(at: Place):
    with RunLock(at.path / "archive" / "archive.lock").held("propsync archive", 0), pytest.raises(Busy):
        verified(at)


@pytest.mark.release
def test_the_run_lock_is_free_while_files_are_hashed(at: Place, monkeypatch: pytest.MonkeyPatch):
    lock, plainly, held = RunLock(at.path / "state" / "run.lock"), Blobs.sha256, []

    def looking(blobs: Blobs, key: str) -> str:
        held.append(lock.is_held())
        return plainly(blobs, key)

    monkeypatch.setattr(Blobs, "sha256", looking)
    verified(at)
    assert held
    assert not any(held)


@pytest.mark.release
def test_the_command_says_what_it_found_and_what_to_type_next(at: Place):
    def propsync(*words: str) -> subprocess.CompletedProcess[str]:
        environ = {name: value for name, value in os.environ.items() if not name.startswith("PROPSYNC_")}
        environ |= {"PROPSYNC_BASE_URL": at.sandbox.base_url, "PROPSYNC_TOKEN": at.sandbox.token}
        environ |= {"PROPSYNC_HOME": str(at.path)}
        program = str(Path(sys.executable).with_name("propsync"))
        return subprocess.run([program, *words], env=environ, capture_output=True, text=True, timeout=120)

    key, file = stored(at)
    at.edit(key)
    rot(file)
    done = propsync("archive", "verify")
    assert done.returncode == 3, done.stderr
    assert str(file.relative_to(at.path)) in done.stdout
    assert "Next: propsync query" in done.stdout
    told = json.loads(propsync("archive", "verify", "--limit", "3", "--json").stdout)
    assert (told["status"], told["files"], told["lost"]) == ("attention", 3, 1)
    assert "1 file is lost. Next" in done.stdout
    assert ", 1 lost (see documents.last_error)" in propsync("status").stdout
    status = json.loads(propsync("status", "--json").stdout)
    assert status["documents"]["lost"] == 1
    assert status["status"] == "attention"
    assert status["left_behind"] == ["1 file of documents is lost"]


def test_a_home_without_documents_is_not_called_sound(capsys: pytest.CaptureFixture[str]):
    print_verify(VerifyReport(), as_json=False)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "No document is stored in this home (PROPSYNC_HOME). Next: propsync status"
