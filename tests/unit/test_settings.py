"""Promises of the settings: who wins, what is refused, and what is said about it."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from zoneinfo import available_timezones

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from propsync.api import TokenSource
from propsync.errors import SettingsError
from propsync.settings import Settings, load_settings, nearest_variable, settings_table

TOKEN = "s3cret-token-value"


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def from_env(home, **variables):
    return load_settings(environ={"PROPSYNC_HOME": str(home)} | {f"PROPSYNC_{k}": v for k, v in variables.items()})


def from_toml(home, text, **variables):
    home.mkdir(exist_ok=True)
    (home / "propsync.toml").write_text(text, encoding="utf-8")
    return from_env(home, **variables)


def refused(home, **variables):
    with pytest.raises(SettingsError) as caught:
        from_env(home, **variables)
    assert caught.value.exit_code == 2
    return str(caught.value)


def refused_toml(home, text, **variables):
    with pytest.raises(SettingsError) as caught:
        from_toml(home, text, **variables)
    return str(caught.value)


def test_nothing_but_a_home_is_needed_to_read(home):
    settings = from_env(home)
    assert (settings.published, settings.state) == (home / "published", home / "state")
    assert settings.explicit == {"home"}


def test_defaults_are_those_of_the_contract(home):
    defaults = {name: default for name, _, default in settings_table()}
    assert defaults == {
        "PROPSYNC_BASE_URL": "required",
        "PROPSYNC_TOKEN": "required",
        "PROPSYNC_TOKEN_FILE": "or the token",
        "PROPSYNC_PUSH_TOKEN": "the token",
        "PROPSYNC_PUSH_TOKEN_FILE": "the token",
        "PROPSYNC_HOME": "~/propsync",
        "PROPSYNC_STORAGE_URL": "none",
        "PROPSYNC_ARCHIVE_DASK": "none",
        "PROPSYNC_STORAGE_IDENTITY": "none",
        "PROPSYNC_TIME_ZONE": "Europe/London",
        "PROPSYNC_PAGE_LIMIT": "1000",
        "PROPSYNC_MAX_CONCURRENCY": "8",
        "PROPSYNC_THREADS": "1",
        "PROPSYNC_ASSESSMENT_STATUSES": "inprogress,submitted,approved",
        "PROPSYNC_SCHEDULE_STATUSES": "notstarted,inprogress",
        "PROPSYNC_DELETE_LIMIT": "0.02",
        "PROPSYNC_LOCK_WAIT": "900",
        "PROPSYNC_MEMORY_LIMIT": "1GB",
        "PROPSYNC_LANDING_KEEP_DAYS": "30",
        "PROPSYNC_ARCHIVE_KINDS": "report,bundle",
        "PROPSYNC_ARCHIVE_STATUSES": "approved",
        "PROPSYNC_ARCHIVE_MAX_GB": "5",
        "PROPSYNC_ARCHIVE_MAX_MINUTES": "120",
        "PROPSYNC_ARCHIVE_RECHECK_DAYS": "90",
        "PROPSYNC_ARCHIVE_TEXT": "false",
        "PROPSYNC_ARCHIVE_MAX_MEMBERS": "50000",
        "PROPSYNC_ARCHIVE_MAX_RATIO": "100",
        "PROPSYNC_ARCHIVE_MAX_UNPACKED_GB": "20",
        "PROPSYNC_ARCHIVE_KEEP_YEARS": "none",
        "PROPSYNC_BACKUP_DAYS": "none",
        "PROPSYNC_WEBHOOK_SECRET": "required by `webhook`",
        "PROPSYNC_WEBHOOK_SECRET_FILE": "or the secret",
        "PROPSYNC_WEBHOOK_SIGNING_KEY": "none",
        "PROPSYNC_WEBHOOK_SIGNING_KEY_FILE": "none",
        "PROPSYNC_WEBHOOK_ADDRESS_HEADER": "none",
        "PROPSYNC_WEBHOOK_WAIT": "30",
        "PROPSYNC_WEBHOOK_REQUESTS": "5000",
        "PROPSYNC_DELTA": "none",
        "PROPSYNC_DELTA_KEEP_DAYS": "30",
        "PROPSYNC_NOTIFY_URL": "none",
        "[reference]": "none",
        "[resources]": "none",
        "[shapes]": "none",
        "[desk]": "none",
        "[privacy]": "none",
    }
    assert all(meaning for _, meaning, _ in settings_table())


def test_the_environment_wins_over_the_file_and_an_empty_variable_is_unset(home):
    text = 'page_limit = 50\ntime_zone = "UTC"\nlock_wait = 5\n'
    settings = from_toml(home, text, PAGE_LIMIT="20", TIME_ZONE=" ")
    assert (settings.page_limit, settings.time_zone, settings.lock_wait) == (20, "UTC", 5)
    assert settings.source("page_limit") == "environment"
    assert settings.source("lock_wait") == str(home / "propsync.toml")
    assert settings.source("memory_limit") == "default"


def test_lists_are_separated_by_commas_in_both_places(home):
    settings = from_toml(
        home, 'schedule_statuses = ["a", "b"]\narchive_kinds = "bundle"', ASSESSMENT_STATUSES="x, y,,x"
    )
    assert settings.assessment_statuses == ("x", "y")
    assert settings.schedule_statuses == ("a", "b")
    assert settings.archive_kinds == ("bundle",)
    assert {"assessment_statuses", "schedule_statuses"} <= settings.explicit


def test_schemas_of_delta_tables_are_those_that_propsync_has(home):
    assert from_env(home).delta == from_env(home, DELTA="none").delta == ()
    assert from_env(home, DELTA="marts, main,marts").delta == ("marts", "main")
    message = refused(home, DELTA="main,ops")
    assert "'ops' is not one of main, by_type, marts, history" in message
    assert message.endswith("some of them with commas between, or none, or leave it out for none")


def test_statuses_at_their_defaults_are_not_explicit(home):
    assert not {"assessment_statuses", "schedule_statuses"} & from_env(home).explicit


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PAGE_LIMIT", "0"),
        ("PAGE_LIMIT", "1001"),
        ("PAGE_LIMIT", "many"),
        ("MAX_CONCURRENCY", "0"),
        ("DELETE_LIMIT", "-0.1"),
        ("DELETE_LIMIT", "1.1"),
        ("DELETE_LIMIT", "nan"),
        ("LOCK_WAIT", "-1"),
        ("LOCK_WAIT", "inf"),
        ("MEMORY_LIMIT", "plenty"),
        ("MEMORY_LIMIT", "0GB"),
        ("TIME_ZONE", "Europe"),
        ("TIME_ZONE", "Mars/Olympus"),
        ("TIME_ZONE", "../etc"),
        ("LANDING_KEEP_DAYS", "0"),
        ("ARCHIVE_KINDS", "report,video"),
        ("ARCHIVE_KINDS", ","),
        ("DELTA", "main,ops"),
        ("DELTA", "main;marts"),
        ("DELTA_KEEP_DAYS", "0"),
        ("ARCHIVE_STATUSES", "a b"),
        ("ARCHIVE_TEXT", "perhaps"),
        ("ARCHIVE_MAX_GB", "0"),
        ("HOME", "~nobody-of-that-name/x"),
        ("BASE_URL", "ftp://example.org"),
        ("BASE_URL", "http://example.org"),
        ("BASE_URL", "https://"),
        ("BASE_URL", "https://[::1"),
        ("BASE_URL", "https://example.org:port"),
        ("BASE_URL", "example.org"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name_with_the_value_and_what_to_give(home, name, value):
    message = refused(home, **{name: value})
    assert message.startswith(f"PROPSYNC_{name} (environment): {value!r} cannot be used: ")
    assert ". Give " in message
    assert "pydantic" not in message


def test_a_time_zone_that_settings_accept_is_one_that_duckdb_knows(home):
    with duckdb.connect() as connection:
        for name in sorted(available_timezones() - {"localtime"}):
            assert from_env(home, TIME_ZONE=name).time_zone == name
            connection.execute(f"set TimeZone = '{name}'")


@pytest.mark.parametrize("name", ["localtime", "posixrules", "posix/Europe/London", "right/UTC"])
def test_a_time_zone_that_only_the_computer_knows_is_refused(home, name):
    assert "cannot be used: " in refused(home, TIME_ZONE=name)


@pytest.mark.parametrize("value", ["x" * 1_500, ",".join(f"status{number}" for number in range(200)), "ü" * 300])
def test_statuses_that_no_address_has_room_for_are_refused(home, value):
    message = refused(home, SCHEDULE_STATUSES=value)
    assert "in an address, which has room for 1,500. Give statuses" in message
    assert len(message) < 500
    assert from_env(home, ASSESSMENT_STATUSES="x" * 1_499).assessment_statuses


def test_a_semicolon_between_statuses_is_refused(home):
    """The API would know no such status, and the list would be empty in silence."""
    assert "'submitted;approved' is not one name" in refused(home, ASSESSMENT_STATUSES="submitted;approved")


@pytest.mark.parametrize("value", ['"submitted,approved"', "'approved'", 'submitted,"approved"'])
def test_quotation_marks_around_statuses_are_refused(home, value):
    """`docker run --env-file` keeps them: every list and every archive would be empty in silence."""
    for name in ("ASSESSMENT_STATUSES", "SCHEDULE_STATUSES", "ARCHIVE_STATUSES"):
        assert "a quotation mark. Give statuses" in refused(home, **{name: value})


@pytest.mark.parametrize("value", ['"/srv/propsync"', "'/srv/propsync'"])
def test_a_home_in_quotation_marks_is_refused(value):
    """It would be a folder of that name below the folder of this program."""
    with pytest.raises(SettingsError, match=r"PROPSYNC_HOME.*a quotation mark"):
        load_settings(environ={"PROPSYNC_HOME": value})


def test_a_status_that_is_no_text_is_refused(home):
    assert "it is not UTF-8 text" in refused(home, SCHEDULE_STATUSES="\udcff")


NUMBERS = (
    "PAGE_LIMIT", "MAX_CONCURRENCY", "THREADS", "DELETE_LIMIT", "LOCK_WAIT", "LANDING_KEEP_DAYS", "ARCHIVE_MAX_GB",
    "ARCHIVE_MAX_MINUTES", "ARCHIVE_RECHECK_DAYS", "ARCHIVE_MAX_MEMBERS", "ARCHIVE_MAX_RATIO",
    "ARCHIVE_MAX_UNPACKED_GB", "DELTA_KEEP_DAYS", "WEBHOOK_WAIT", "WEBHOOK_REQUESTS",
)  # fmt: skip


@pytest.mark.parametrize(
    "value", ["-1", "1e99", "1e400", "nan", "inf", "-inf", "10" * 40, "9" * 5000, "true", "0x10", "1,5"]
)
@pytest.mark.parametrize("name", NUMBERS)
def test_no_number_is_absurd(home, name, value):
    message = refused(home, **{name: value})
    assert message.startswith(f"PROPSYNC_{name} (environment): ")
    assert len(message) < 500


def test_every_number_is_among_those_tried():
    kinds = {name: field.annotation for name, field in Settings.plain_fields().items()}
    assert set(NUMBERS) == {name.upper() for name, kind in kinds.items() if kind in (int, float)}


@pytest.mark.parametrize("value", ["1B", "0.5MB", "63MB", "60MiB", "999999999999TB", "9" * 400 + "GB", "1e3MB", "٣GB"])
def test_memory_that_cannot_be_is_refused(home, value):
    assert "Give a size such as 1GB" in refused(home, MEMORY_LIMIT=value)


def test_the_least_memory_that_works_is_named(home):
    assert "64MB is the least that works" in refused(home, MEMORY_LIMIT="1B")
    assert from_env(home, MEMORY_LIMIT="64MB").memory_limit == "64MB"
    assert from_env(home, MEMORY_LIMIT="62 MiB").memory_limit == "62 MiB"


@pytest.mark.parametrize("name", ["a?b", "a?x=1", "a\\b", "b\udcff"])
def test_a_home_where_duckdb_cannot_keep_a_file_is_refused(tmp_path, name):
    assert "PROPSYNC_HOME (environment)" in refused(tmp_path / name)


def test_a_settings_file_in_the_home_of_nobody_is_wrong_usage():
    with pytest.raises(SettingsError, match=r"--config ~nobody-of-that-name/x\.toml: that user's home folder is not"):
        load_settings(Path("~nobody-of-that-name/x.toml"), environ={})


def test_a_folder_that_somebody_removed_under_a_program_is_no_fault(home, tmp_path, monkeypatch):
    (tmp_path / "token").write_text(TOKEN)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    settings = from_env(home, BASE_URL="https://h", TOKEN_FILE=str(tmp_path / "token"))
    assert settings.require_api().token.get_secret_value() == TOKEN
    assert "it is relative, and the folder of this program is gone" in refused("home")


def test_a_user_without_a_home_folder_is_told_to_set_one(monkeypatch):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    with pytest.raises(SettingsError) as caught:
        load_settings(environ={})
    words = "PROPSYNC_HOME: it is not set, and that user's home folder is not known. Set it to a folder on a local disk"
    assert str(caught.value) == words


@pytest.mark.parametrize("name", ["a#b", "a%41b", "a'b", 'a"b', "a b", "a\nb", "ünï", "a[b]*", ":memory:", "$HOME;{b}"])
def test_a_home_may_have_any_other_name(tmp_path, name):
    assert from_env(tmp_path / name).home == tmp_path / name


@pytest.mark.parametrize(
    "url", ["bucket", "gs://bucket", "s3://", "s3://user@bucket", "s3://bucket/a//b", "az://c/../d"]
)
def test_a_bucket_is_named_by_its_scheme_its_name_and_a_folder(home, url):
    assert "s3://bucket/folder" in refused(home, STORAGE_URL=url)


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/"])
@pytest.mark.parametrize(
    "root", ["https://example.org", "http://localhost:80", "http://127.9.9.9", "http://[::1]:8000", "https://h:8443"]
)
def test_an_address_may_have_a_prefix_and_loses_its_last_slash(home, root, tail):
    assert from_env(home, BASE_URL=root + tail).base_url == root + tail.rstrip("/")


@pytest.mark.parametrize(
    "url", ["https://u:pa55word@h", "https://h/?key=pa55word", "https://h/#pa55word", "https://h?"]
)
def test_an_address_with_credentials_query_or_fragment_is_refused_and_not_shown(home, url):
    assert "pa55word" not in refused(home, BASE_URL=url)


def test_the_file_takes_true_for_no_number(home):
    assert "page_limit in" in refused_toml(home, "page_limit = true")


def test_a_token_in_the_file_is_refused_unseen(home):
    message = refused_toml(home, f'token = "{TOKEN}"')
    assert TOKEN not in message
    assert "PROPSYNC_TOKEN_FILE" in message


@pytest.mark.parametrize("key", ["page_limits", "PAGE_LIMIT", "propsync_page_limit", "pagelimit"])
def test_an_unknown_key_is_refused_naming_the_nearest(home, key):
    assert "Did you mean page_limit?" in refused_toml(home, f"{key} = 5")


def test_an_unknown_variable_is_told_but_stops_nothing(home):
    assert from_env(home, PAGE_LIMTI="5").unrecognised == ("PROPSYNC_PAGE_LIMTI",)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("base_url = 1", "it is not text in quotation marks"),
        ("token_file = true", "it is not a path"),
        ("schedule_statuses = 5", "it is not a list"),
    ],
)
def test_a_value_of_another_kind_is_told_without_words_of_python(home, line, reason):
    assert f"cannot be used: {reason}. Give " in refused_toml(home, line)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("PROPSYNC_BASE_ULR", "PROPSYNC_BASE_URL"),
        ("PROPSYNC_TIMEZONE", "PROPSYNC_TIME_ZONE"),
        ("PROPSYNC_Home", "PROPSYNC_HOME"),
        ("PROPSYNC_PORT", None),  # Kubernetes sets it for a service named propsync
        ("PROPSYNC_SERVICE_HOST", None),
    ],
)
def test_a_variable_that_is_nearly_a_setting_names_it(written, meant):
    assert nearest_variable(written) == meant


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a = \n", "line 1"),
        (b"\xff", "UTF-8"),
        (b"page_limit = 'x'", "'x' cannot be used"),
        (b"reference = 3", "3"),
        (b"a = " + b"[" * 3_000 + b"]" * 3_000, "it is not TOML: its brackets are too many levels deep"),
        (b"page_limit = " + b"9" * 5_000, "it is not TOML: it has a number of thousands of digits"),
    ],
)
def test_a_broken_file_is_one_clear_line(home, content, said):
    home.mkdir()
    (home / "propsync.toml").write_bytes(content)
    message = refused(home)
    assert said in message
    assert str(home / "propsync.toml") in message
    assert "\n" not in message


def test_a_config_that_was_named_must_exist(tmp_path):
    with pytest.raises(SettingsError, match="there is no such file"):
        load_settings(tmp_path / "none.toml", environ={})
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path, environ={})


def test_relative_paths_of_the_file_start_at_its_folder(tmp_path):
    config = tmp_path / "conf" / "my.toml"
    config.parent.mkdir()
    config.write_text(
        'home = "../data"\ntoken_file = "token"\n[reference]\nproperties = "p.csv"\nusers = "/u.csv"\n'
        '[shapes]\nvolatile = ["a[].b"]\n'
    )
    settings = load_settings(config, environ={})
    assert settings.home == tmp_path / "data"
    assert settings.token_file == tmp_path / "conf" / "token"
    assert settings.reference == {"properties": tmp_path / "conf" / "p.csv", "users": Path("/u.csv")}
    assert settings.shapes == {"volatile": ["a[].b"]}


def test_the_mark_that_windows_editors_write_is_no_part_of_a_file(home, tmp_path):
    assert from_toml(home, "\ufeffpage_limit = 5").page_limit == 5
    file = tmp_path / "token"
    file.write_text(f"\ufeff{TOKEN}\r\n", encoding="utf-8")
    access = from_env(home, BASE_URL="https://h", TOKEN_FILE=str(file)).require_api()
    assert access.token.get_secret_value() == TOKEN
    source = TokenSource("old", file)
    assert source.after_refusal("old") == TOKEN


@pytest.mark.parametrize("written", ["5", '""', '["p.csv"]'])
def test_a_list_that_is_no_path_starts_at_the_folder_of_the_file_too(home, written):
    path = from_toml(home, f"[reference]\nproperties = {written}\n").reference["properties"]
    assert path.is_relative_to(home)


def test_a_home_s_own_file_cannot_name_another_home(home):
    config = home / "propsync.toml"
    home.mkdir()
    config.write_text('home = "/elsewhere"\n')
    assert load_settings(config, environ={}).home == Path("/elsewhere")
    assert from_env(home).home == home  # the environment wins


def test_the_default_home_is_absolute_under_the_user_s(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_settings(environ={}).home == tmp_path / "propsync"
    (tmp_path / "propsync").mkdir()
    (tmp_path / "propsync" / "propsync.toml").write_text('home = "/elsewhere"\n')
    with pytest.raises(SettingsError, match="Set PROPSYNC_HOME"):
        load_settings(environ={})


def test_the_api_needs_an_address_and_a_token(home):
    with pytest.raises(SettingsError, match="PROPSYNC_BASE_URL"):
        from_env(home, TOKEN=TOKEN).require_api()
    with pytest.raises(SettingsError, match="PROPSYNC_TOKEN"):
        from_env(home, BASE_URL="https://h").require_api()
    access = from_env(home, BASE_URL="https://h", TOKEN=f" {TOKEN}\n").require_api()
    assert (access.token.get_secret_value(), access.token_file) == (TOKEN, None)


def test_the_token_file_is_read_stripped_and_remembered(home, tmp_path):
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    access = from_env(home, BASE_URL="https://h", TOKEN_FILE=str(file)).require_api()
    assert (access.token.get_secret_value(), access.token_file) == (TOKEN, file)


@pytest.mark.parametrize("content", [b"", b" \n", b"two words", b"line\nline", "naïve".encode(), b"\xff\xfe", None])
def test_a_token_file_that_cannot_serve_is_refused_when_the_api_is_needed(home, tmp_path, content):
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    settings = from_env(home, BASE_URL="https://h", TOKEN_FILE=str(file))
    with pytest.raises(SettingsError, match="PROPSYNC_TOKEN_FILE") as caught:
        settings.require_api()
    assert "words" not in str(caught.value)


@pytest.mark.parametrize("token", ["sandbox-0123abc", "eyJ0.eyJ1.abc", "abc/def+g=", "/abc/def", "x" * 300])
@pytest.mark.parametrize("name", ["TOKEN", "WEBHOOK_SECRET"])
def test_a_token_in_place_of_its_file_is_not_shown(home, token, name):
    settings = from_env(home, BASE_URL="https://h", **{f"{name}_FILE": token})
    with pytest.raises(SettingsError, match=rf"PROPSYNC_{name}_FILE \(environment\): no file has that name") as caught:
        settings.require_api() if name == "TOKEN" else settings.require_webhook()
    assert token not in str(caught.value)


def test_a_token_in_place_of_its_file_in_the_toml_is_not_shown(home):
    settings = from_toml(home, 'base_url = "https://h"\ntoken_file = "sandbox-0123abc"\n')
    with pytest.raises(SettingsError, match="no file has that name") as caught:
        settings.require_api()
    assert "sandbox" not in str(caught.value)


def test_a_file_of_a_token_that_is_missing_is_named(home, tmp_path):
    settings = from_env(home, BASE_URL="https://h", TOKEN_FILE=str(tmp_path / "tokn"))
    with pytest.raises(SettingsError, match="tokn: it cannot be read: No such file"):
        settings.require_api()


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EACCES, r"Permission denied\. Let the user of propsync read it"),
        (errno.EIO, r"Input/output error\. The disk or its connection failed"),
    ],
)
def test_a_file_of_a_token_that_the_system_refuses_says_why(home, tmp_path, monkeypatch, number, said):
    def refuse(path):
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr("propsync.settings.model.read_secret", refuse)  # root may read every file
    settings = from_env(home, BASE_URL="https://h", TOKEN_FILE=str(tmp_path / "token"))
    with pytest.raises(SettingsError, match=said):
        settings.require_api()


def test_a_failing_disk_under_the_toml_is_no_question_of_permissions(home, monkeypatch):
    def refuse(path, **_):
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    monkeypatch.setattr(Path, "read_text", refuse)
    assert "propsync.toml: it cannot be read: Input/output error. The disk or its connection failed" in refused(home)


def test_what_is_no_file_of_a_token_is_refused_at_once(home, tmp_path, monkeypatch):
    monkeypatch.setattr("propsync.settings.secret_file._PATIENCE", 0.2)
    large, pipe = tmp_path / "large", tmp_path / "pipe"
    large.write_bytes(b"x" * 5_000_000)
    os.mkfifo(pipe)
    for path, said in (
        (large, "larger than 65,536 bytes"),
        (pipe, "no program writes to it"),
        (tmp_path, "neither a file nor a pipe"),
        (Path("/dev/zero"), "neither a file nor a pipe"),
    ):
        with pytest.raises(SettingsError, match=said):
            from_env(home, BASE_URL="https://h", TOKEN_FILE=str(path)).require_api()


@pytest.mark.parametrize("delay", [0, 0.3])
def test_the_output_of_a_program_may_be_the_file_of_a_token(home, delay):
    script = f"{sys.executable} -c 'from propsync.settings import load_settings as l; print(l().require_api())'"
    shell = f"exec 7< <(sleep {delay}; echo {TOKEN}); PROPSYNC_TOKEN_FILE=/dev/fd/7 {script}"
    environ = {"PROPSYNC_HOME": str(home), "PROPSYNC_BASE_URL": "https://h", "PATH": os.environ["PATH"]}
    done = subprocess.run(["bash", "-c", shell], env=environ, capture_output=True, text=True, check=False)
    assert "token_file=PosixPath('/dev/fd/7')" in done.stdout, done.stderr


def test_an_illegal_token_is_refused_unseen(home):
    assert "s3cret" not in refused(home, TOKEN="s3cret to ken")


def test_two_tokens_in_the_environment_are_refused_and_the_environment_s_beats_the_file_s(home):
    refused(home, TOKEN=TOKEN, TOKEN_FILE="/x")
    settings = from_toml(home, 'token_file = "nowhere"\nbase_url = "https://h"', TOKEN=TOKEN)
    assert settings.require_api().token.get_secret_value() == TOKEN


def test_secrets_do_not_show_in_repr(home):
    tokens = {"TOKEN": TOKEN, "PUSH_TOKEN": "tok-for-writes"}
    settings = from_env(home, BASE_URL="https://h", NOTIFY_URL="https://hooks.example.org/abcdef", **tokens)
    shown = repr(settings) + repr(settings.require_api()) + repr(settings.require_push())
    assert not any(secret in shown for secret in (*tokens.values(), "abcdef"))


def test_writes_take_their_own_token_and_reads_never_do(home):
    settings = from_env(home, BASE_URL="https://h", TOKEN=TOKEN, PUSH_TOKEN="tok-for-writes")
    reads, writes = settings.require_api(), settings.require_push()
    assert (reads.token.get_secret_value(), reads.variable) == (TOKEN, "PROPSYNC_TOKEN")
    assert (writes.token.get_secret_value(), writes.variable) == ("tok-for-writes", "PROPSYNC_PUSH_TOKEN")


def test_a_token_from_a_block_is_called_by_its_place(home):
    settings = from_env(home, BASE_URL="https://h").with_token(SecretStr(f"{TOKEN}\n"), "token", "the block")
    settings = settings.with_token(SecretStr("tok-for-writes"), "push_token", "another block")
    assert (settings.require_api().token.get_secret_value(), settings.require_api().variable) == (TOKEN, "the block")
    assert settings.require_push().variable == "another block"
    with pytest.raises(SettingsError, match=r"the block: .*Put the token there alone"):
        settings.with_token(SecretStr("two words"), "token", "the block")


def test_without_a_token_of_their_own_writes_take_the_token(home):
    settings = from_env(home, BASE_URL="https://h", TOKEN=TOKEN)
    assert settings.require_push() == settings.require_api()
    with pytest.raises(SettingsError, match="PROPSYNC_TOKEN: no token"):
        from_env(home, BASE_URL="https://h").require_push()
    with pytest.raises(SettingsError, match="PROPSYNC_BASE_URL"):
        from_env(home, PUSH_TOKEN=TOKEN).require_push()


def test_the_file_of_the_write_token_is_read_for_a_write_alone(home, tmp_path):
    settings = from_toml(home, 'push_token_file = "writes"\nbase_url = "https://h"', TOKEN=TOKEN)
    assert settings.push_token_file == home / "writes"
    assert settings.require_api().token.get_secret_value() == TOKEN  # although the file does not exist
    with pytest.raises(SettingsError, match=r"PROPSYNC_PUSH_TOKEN_FILE \(.*propsync.toml\): no file has that name"):
        settings.require_push()
    (home / "writes").write_text("tok-for-writes\n")
    assert settings.require_push().token.get_secret_value() == "tok-for-writes"
    environment_wins = from_toml(home, 'push_token_file = "nowhere"\nbase_url = "https://h"', PUSH_TOKEN="tok-other")
    assert environment_wins.require_push().token_file is None


def test_a_write_token_in_the_file_or_set_twice_or_illegal_is_refused_unseen(home):
    message = refused_toml(home, f'push_token = "{TOKEN}"')
    assert TOKEN not in message
    assert "must not hold a token. Remove it, and set PROPSYNC_PUSH_TOKEN_FILE" in message
    (home / "propsync.toml").unlink()
    assert "Use only one of them" in refused(home, PUSH_TOKEN=TOKEN, PUSH_TOKEN_FILE="/x")
    assert "s3cret" not in refused(home, PUSH_TOKEN="s3cret to ken")


@given(st.dictionaries(st.sampled_from(sorted(Settings.model_fields)), st.text(min_size=1), max_size=4))
def test_any_text_is_taken_or_refused_in_one_line(values):
    environ = {"PROPSYNC_HOME": "/nowhere"} | {f"PROPSYNC_{name.upper()}": value for name, value in values.items()}
    try:
        load_settings(environ=environ)
    except SettingsError as error:
        message = str(error)
    else:
        return
    assert len(message.splitlines()) == 1


def test_importing_settings_brings_in_nothing_heavy():
    script = (
        "import sys, propsync.settings; print(sorted({'httpx','duckdb','pandas','prefect','rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("host", ["api..example.org", "a" * 64 + ".example.org"])
def test_a_host_name_that_cannot_be_one_is_said_before_anything_is_asked(host):
    with pytest.raises(SettingsError, match="host name"):
        load_settings(environ={"PROPSYNC_BASE_URL": f"https://{host}"})


SECRET = "a" * 16 + "-_" + "Z9" * 7
SIGNING_KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_the_secret_of_the_receiver_comes_from_the_environment_or_a_file(home, tmp_path):
    assert from_env(home, WEBHOOK_SECRET=SECRET).require_webhook().secret.get_secret_value() == SECRET
    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n")
    access = from_env(home, WEBHOOK_SECRET_FILE=str(file)).require_webhook()
    assert access.secret.get_secret_value() == SECRET
    assert access.signing_key is None
    file.write_text("short")
    with pytest.raises(SettingsError, match="shorter than 32") as caught:
        from_env(home, WEBHOOK_SECRET_FILE=str(file)).require_webhook()
    assert str(file) in str(caught.value)


def test_the_signing_key_is_read_as_the_service_shows_it(home):
    for shown in (SIGNING_KEY, SIGNING_KEY.removeprefix("whsec_")):
        access = from_env(home, WEBHOOK_SECRET=SECRET, WEBHOOK_SIGNING_KEY=shown).require_webhook()
        assert len(access.signing_key.get_secret_value()) == 24


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEBHOOK_SECRET", "a" * 31),
        ("WEBHOOK_SECRET", "a" * 32 + "/"),
        ("WEBHOOK_SECRET", "a" * 32 + "%20"),
        ("WEBHOOK_SIGNING_KEY", "whsec_not base64!"),
        ("WEBHOOK_SIGNING_KEY", "whsec_aGVsbG8="),
    ],
)
def test_a_weak_secret_is_refused_and_not_shown(home, name, value):
    message = refused(home, **{name: value})
    assert message.startswith(f"PROPSYNC_{name} (environment): its value (not shown) cannot be used: ")
    assert value not in message


def test_no_secret_of_the_receiver_is_in_the_toml(home):
    message = refused_toml(home, f'webhook_secret = "{SECRET}"')
    assert "must not hold a secret. Remove it, and set PROPSYNC_WEBHOOK_SECRET_FILE" in message


def test_the_header_of_a_proxy_is_a_name(home):
    assert from_env(home, WEBHOOK_ADDRESS_HEADER="X-Real-IP").webhook_address_header == "X-Real-IP"
    assert "not the name of a header" in refused(home, WEBHOOK_ADDRESS_HEADER="X-Real-IP: 1")


def test_a_link_to_a_file_that_is_gone_is_refused(home):
    home.mkdir()
    (home / "propsync.toml").symlink_to("mounted.toml")
    assert "it is a link to mounted.toml, which does not exist. Restore that file" in refused(home)


@pytest.mark.parametrize("table", ["desk", "privacy", "reference", "shapes.assets", "resources.notes", "desk.roles"])
@pytest.mark.parametrize("name", ["token", "PROPSYNC_TOKEN", "webhook_secret"])
def test_no_message_shows_a_token_that_stands_in_a_table(home, table, name):
    message = refused_toml(home, f'[{table}]\n{name} = "{TOKEN}"')
    assert TOKEN not in message
    assert "this file must not hold a " in message


@pytest.mark.parametrize("table", ["desk", "privacy", "reference"])
def test_a_setting_below_the_line_of_a_table_is_sent_above_it(home, table):
    message = refused_toml(home, f"[{table}]\narchive_keep_years = 7")
    assert f"it stands below the line [{table}]" in message
    assert message.endswith("Move it above the first line in brackets")


@pytest.mark.parametrize("lines", ["hide = ['x']", "privacy.hide = ['x']", "[reference.privacy]\nhide = ['x']"])
def test_what_is_to_be_hidden_is_no_list_of_people(home, lines):
    """A run would continue without that list, and publish all of it."""
    message = refused_toml(home, f"[reference]\nusers = 'users.csv'\n{lines}")
    assert "it stands below the line [reference" in message
    assert message.endswith("Move it below a line [privacy]")


def test_a_table_of_shapes_that_is_none_is_shown_as_it_should_be(home):
    assert refused_toml(home, "shapes = 5").endswith('and paths below it: status = "state.code"')
