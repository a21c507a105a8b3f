"""PROPSYNC_NOTIFY_URL gets one JSON POST per run, and whatever becomes of it is no matter to the run."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest
from kit.notices import NoticeReceiver
from kit.programs import Program


@pytest.fixture
def receiver() -> Iterator[NoticeReceiver]:
    one = NoticeReceiver()
    yield one
    one.close()


@pytest.mark.release
def test_a_sync_is_told_once_with_what_json_prints_and_a_text(propsync, synced, receiver):
    done = propsync("sync", "--json", notify_url=receiver.url)
    told = receiver.only()
    printed = json.loads(done.stdout)
    assert {name: told[name] for name in printed} == printed
    assert printed["documents"], "documents came too, in the same notice"
    assert (told["flow"], told["status"], told["text"]) == ("nightly", "ok", "propsync nightly: ok")


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize(
    ("words", "flow"),
    [
        (["backfill", "--asset", "nobody"], "backfill"),
        (["archive", "--limit", "1"], "archive"),
        (["archive", "verify"], "archive verify"),
        (["rebuild"], "rebuild"),
    ],
)
def test_every_other_run_is_told_once_too(propsync, synced, receiver, words, flow):
    done = propsync(*words, notify_url=receiver.url)
    told = receiver.only()
    assert (told["flow"], told["exit_code"]) == (flow, done.returncode)
    assert told["status"] == ("ok" if done.returncode == 0 else "attention")


@pytest.mark.release
def test_what_was_left_behind_is_said_also_as_a_card_for_teams(propsync, synced, sandbox, receiver):
    sandbox.set_faults([{"match": {"path": "/assessments/schedules"}, "effect": {"kind": "status", "status": 403}}])
    assert propsync("sync", notify_url=receiver.url).returncode == 3
    told = receiver.only()
    assert (told["status"], told["exit_code"]) == ("attention", 3)
    assert told["text"].splitlines()[1].startswith("schedules keep the rows of ")
    (card,) = told["attachments"]
    assert [one["text"] for one in card["content"]["body"]] == told["text"].splitlines()


def test_a_run_that_published_nothing_says_why_and_never_the_token(propsync, sandbox, receiver):
    refusal = {"kind": "status", "status": 401, "body": f"who is {sandbox.token}?"}
    sandbox.set_faults([{"effect": refusal}])
    done = propsync("sync", notify_url=receiver.url)
    told = receiver.only()
    assert (told["status"], told["exit_code"]) == ("failed", done.returncode) == ("failed", 1)
    assert "PROPSYNC_TOKEN" in told["text"]
    assert sandbox.token not in receiver.got[0][1]


def test_wrong_usage_is_no_run(propsync, receiver):
    assert propsync("sync", "--only", "boats", notify_url=receiver.url).returncode == 2
    assert receiver.got == []


@pytest.mark.slow
def test_a_notice_that_does_not_get_there_is_a_warning_without_its_address(propsync, synced, receiver):
    receiver.status = 410
    done = propsync("--log-level", "DEBUG", "sync", notify_url=receiver.url)
    assert done.returncode == 0
    assert "could not deliver the notice to PROPSYNC_NOTIFY_URL: the answer was 410" in done.stderr
    assert "very-secret-part" not in done.stdout + done.stderr


@pytest.mark.release
def test_nobody_listening_is_a_warning_too(propsync, synced, receiver):
    receiver.close()
    done = propsync("sync", notify_url=receiver.url)
    assert done.returncode == 0
    assert "could not deliver the notice to PROPSYNC_NOTIFY_URL: ConnectError" in done.stderr


@pytest.mark.release
def test_a_sync_without_archive_leaves_documents_to_a_run_of_their_own(propsync):
    assert json.loads(propsync("sync", "--no-archive", "--json").stdout)["documents"] is None
    assert json.loads(propsync("archive", "--json").stdout)["stored"] > 0


def test_a_setting_that_is_wrong_at_night_is_told(propsync, receiver, tmp_path):
    done = propsync("sync", token=None, token_file=str(tmp_path / "nowhere"), notify_url=receiver.url)
    told = receiver.only()
    assert (told["status"], told["exit_code"]) == ("failed", done.returncode) == ("failed", 2)
    assert "PROPSYNC_TOKEN_FILE" in told["text"]


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_stopped_says_so(sandbox, receiver, own_settings, tmp_path, by):
    sandbox.set_faults([{"match": {"path": "/properties/assets"}, "effect": {"kind": "delay", "seconds": 5}}])
    program = Program(tmp_path, own_settings | {"PROPSYNC_NOTIFY_URL": receiver.url})
    with program.started("--log-level", "DEBUG", "sync") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "GET /properties/assets" in line or "step assets" in line:
                process.send_signal(by)
                break
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted: the published tables are whole" in errors
    assert (receiver.only()["status"], receiver.only()["exit_code"]) == ("interrupted", 130)
