"""The promises of each command on standard output, and its exit codes."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from kit.command_line import CommandLine
from kit.programs import Program
from kit.versions import of_another_version

from propsync.errors import StateUnusable
from propsync.runs import RunLock
from propsync.storage import LocalStorage
from propsync.suppression import ID, Erasure, Erasures


def test_sync_publishes_and_says_what_to_type_next(propsync):
    first = propsync("sync")
    assert first.returncode == 0, first.stderr
    assert "Next: propsync query --tables" in first.stdout
    assert "completely" in first.stdout


@pytest.mark.release
def test_sync_as_json_is_one_object_on_standard_output_and_logs_are_elsewhere(propsync, synced):
    done = propsync("sync", "--json")
    report = json.loads(done.stdout)
    assert report["status"] == "ok"
    assert report["exit_code"] == done.returncode == 0
    assert report["resources"]["assets"]["fetched"] == 120
    assert "INFO" in done.stderr


def test_only_the_resources_named_are_read(propsync):
    report = json.loads(propsync("sync", "--json", "--only", "schedules").stdout)
    assert list(report["resources"]) == ["schedules"]


def test_an_unknown_resource_is_wrong_usage(propsync):
    done = propsync("sync", "--only", "boats")
    assert done.returncode == 2
    assert "boats" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "option"), [("sync", "--only"), ("sync", "--accept-deletes"), ("archive", "--kind")]
)
def test_an_option_that_is_empty_is_wrong_usage(propsync, command, option):
    done = propsync(command, option, "")
    assert done.returncode == 2
    assert done.stderr.startswith(f"propsync: {option}: ")


def test_the_help_cuts_no_line_that_says_what_a_command_does(propsync):
    listed = propsync("--help").stdout.partition("Commands:")[2]
    assert "doctor" in listed
    assert "..." not in listed


COMMANDS = (
    "", "sync", "backfill", "rebuild", "archive", "archive verify", "archive export", "status", "doctor", "query",
    "serve", "sandbox", "push template", "push plan", "push show", "push apply", "push undo", "push history",
    "dashboard", "dictionary", "erase", "webhook", "storage move", "demo",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_names_the_value_of_each_option_in_a_word_or_lists_the_choices(propsync, command: str):
    _, _, options = propsync(*command.split(), "--help").stdout.partition("\nOptions:\n")
    assert "--help" in options
    kinds = re.findall(r"^  --\S+ <([^>]*)>", options, re.MULTILINE)
    assert [kind for kind in kinds if "|" not in kind] == []


@pytest.mark.parametrize("words", [["sandbox", "--port", "99999"], ["demo", "--home", f"{__file__}/home"]])
def test_a_port_or_a_folder_that_cannot_be_is_wrong_usage(propsync, words):
    done = propsync(*words)
    assert done.returncode == 2
    assert words[0] == "sandbox" or "Name a folder that you can write to" in done.stderr
    assert "fault in propsync" not in done.stderr


def test_the_demo_leaves_a_folder_with_files_as_it_is(propsync, tmp_path: Path):
    (tmp_path / "propsync.toml").write_text("[privacy]", encoding="utf-8")
    done = propsync("demo", "--home", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path} is not empty; the demo overwrites nothing. Give a new folder" in done.stderr
    assert [(one.name, one.read_text(encoding="utf-8")) for one in tmp_path.iterdir()] == [
        ("propsync.toml", "[privacy]")
    ]


@pytest.mark.parametrize(
    "words", [("snyc",), ("sync", "--jsn"), ("query", "select 1", "--format", "xls"), ("demo", "--scale", "1")]
)
def test_a_mistyped_command_is_wrong_usage_and_no_fault_of_ours(propsync, words):
    done = propsync(*words)
    assert done.returncode == 2
    assert "fault in propsync" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("archive", "--limit", "ten"),
            "--limit: 'ten' cannot be used: it is not a whole number. Run `propsync archive --help`",
        ),
        (("archive", "--limit", "0"), "--limit: '0' cannot be used: it is too small. Run `propsync archive --help`"),
        (
            ("push", "plan", "boats"),
            "assets|schedules: 'boats' is not one of 'assets', 'schedules'. Run `propsync push plan --help`",
        ),
        (("sync", "--frob"), "sync: no such option: --frob. Run `propsync sync --help`"),
        (("snyc",), "command line: no such command 'snyc'. Did you mean 'sync'? Run `propsync --help`"),
        (
            ("archive", "verify", "all"),
            "archive verify: got unexpected extra argument(s) (all). Run `propsync archive verify --help`",
        ),
    ],
)
def test_wrong_usage_is_one_line_in_plain_words(propsync, words, line):
    done = propsync(*words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"propsync: {line}\n")


def test_a_command_that_is_given_nothing_to_do_shows_its_help(propsync):
    done = propsync("push")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: propsync push ")


@pytest.mark.release
def test_the_program_and_the_process_of_the_tests_print_the_same(propsync: CommandLine, program: Program, synced: Path):
    """Most tests here start no program: the words and the exit codes of both are equal."""
    for words in (["--version"], ["status"], ["status", "--max-age", "0m"], ["query", "select 1"], ["snyc"], ["sync"]):
        ours, theirs = propsync("--log-level", "WARNING", *words), program("--log-level", "WARNING", *words)
        assert (ours.returncode, _form(ours.stdout), ours.stderr) == (
            theirs.returncode,
            _form(theirs.stdout),
            theirs.stderr,
        ), words


def _form(text: str) -> str:
    """A text without its numbers: two runs differ in their times."""
    return re.sub(r"\d[\d.,:]*", "0", text)


def test_the_version_is_told(program):
    assert program("--version").stdout.startswith("propsync ")


def test_an_interrupted_sync_says_so(own_settings, tmp_path: Path):
    nowhere = {"PROPSYNC_BASE_URL": "http://127.0.0.1:9"}  # nobody listens there, so it waits and tries again
    with Program(tmp_path, own_settings | nowhere).started("sync") as process:
        assert process.stderr is not None
        assert "attempt 1 of 8" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert "interrupted" in process.stderr.read()
    assert process.returncode == 130


@pytest.mark.slow
def test_query_gives_the_same_rows_in_every_format(propsync, synced):
    sql = "select asset_id, asset_type from assets order by asset_id"
    as_csv = propsync("query", sql, "--format", "csv")
    as_json = propsync("query", sql, "--format", "json")
    rows = [(row["asset_id"], row["asset_type"]) for row in csv.DictReader(io.StringIO(as_csv.stdout))]
    assert len(rows) == 120
    assert [(row["asset_id"], row["asset_type"]) for row in json.loads(as_json.stdout)] == rows
    table = propsync("query", sql)
    assert rows[0][0] in table.stdout
    assert table.stdout.rstrip().endswith("120 rows")


def test_query_lists_tables_and_describes_columns(propsync, synced):
    listed = propsync("query", "--tables").stdout
    assert "main.asset_field_values" in listed
    for macro in ("assets_as_of(", "changes_between("):
        assert listed.count(macro) == 2, "its name, and how to call it"
    described = propsync("query", "--describe", "schedules").stdout
    assert "due_date" in described
    assert "DATE" in described
    missing = propsync("query", "--describe", "boats")
    assert missing.returncode == 2


def test_status_before_anything_is_published(propsync):
    assert propsync("status").returncode == 0
    assert "propsync sync" in propsync("status").stdout
    assert propsync("status", "--max-age", "26h").returncode == 3


def test_status_tells_freshness_and_completeness_in_words(propsync, synced):
    fresh = propsync("status", "--max-age", "26h")
    assert fresh.returncode == 0
    assert "read completely" in fresh.stdout
    report = json.loads(propsync("status", "--json").stdout)
    assert report["tables"]["assets"] == 120
    assert report["is_fresh"] is True
    assert propsync("status", "--max-age", "0m").returncode == 3
    assert propsync("status", "--max-age", "soon").returncode == 2
    too_long = propsync("status", "--max-age", "99999999d")
    assert (too_long.returncode, "--max-age: it is too long" in too_long.stderr) == (2, True)


def test_status_tells_of_a_run_that_failed_after_the_last_publication(propsync, synced):
    assert propsync("sync", token="not-the-token-of-this-server").returncode == 1
    printed = propsync("status").stdout
    assert "failed" in printed
    assert "401" in printed


def test_status_names_the_rebuild_that_a_home_of_another_version_needs(propsync, synced):
    of_another_version(synced)
    printed = propsync("status").stdout
    assert "No run can use the state database: its schema version is 0, not" in printed
    assert printed.endswith("\nNext: propsync rebuild\n")
    assert propsync("rebuild").returncode == 0
    assert "propsync rebuild" not in propsync("status").stdout


def test_status_repeats_the_rebuild_that_a_failed_run_named(propsync, synced):
    """A damaged block inside of the file shows only when a run reads it."""
    with pytest.raises(StateUnusable), RunLock(synced / "state" / "run.lock").held("propsync nightly", 0):
        raise StateUnusable("state/warehouse.duckdb", "Corrupt database file")
    assert propsync("status").stdout.endswith("\nNext: propsync rebuild\n")


def test_no_dashboard_is_drawn_from_tables_of_another_version(propsync, synced):
    """Parts of the page would lack their columns, and the page of that version would be gone."""
    page = synced / "published" / "dashboard" / "index.html"
    before = page.read_bytes()
    of_another_version(synced)
    done = propsync("dashboard")
    told = "another version of propsync published it. Run `propsync rebuild`\n"
    assert (done.returncode, done.stderr.endswith(told), page.read_bytes()) == (2, True, before)


def test_status_names_the_rebuild_that_brings_a_state_database_back(propsync, synced):
    shutil.rmtree(synced / "state")
    assert propsync("status").stdout.endswith("\nNext: propsync rebuild\n")


def test_a_state_database_of_which_a_full_disk_left_nothing_is_found_before_the_night(propsync, synced):
    (synced / "state" / "warehouse.duckdb").write_bytes(b"")
    printed = propsync("status").stdout
    assert "No run can use the state database: it is not a DuckDB database" in printed
    assert printed.endswith("\nNext: propsync rebuild\n")
    done = propsync("doctor")
    assert (done.returncode, "state/warehouse.duckdb: it is not a DuckDB database" in done.stdout) == (1, True)


@pytest.mark.parametrize("folder", ["state", "published"])
def test_the_doctor_finds_a_database_file_that_was_cut_between_blocks(propsync, synced, folder):
    path = synced / folder / "warehouse.duckdb"
    os.truncate(path, path.stat().st_size - 262_144)
    done = propsync("doctor")
    assert (done.returncode, f"{folder}/warehouse.duckdb: " in done.stdout) == (1, True)


HOLDS = "import duckdb, sys; open_file = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"


@pytest.fixture
def held_state(synced: Path) -> Iterator[None]:
    """Another program has the state database open."""
    command = [sys.executable, "-c", HOLDS, str(synced / "state" / "warehouse.duckdb")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "open\n"
        yield
        holder.stdin.close()


def test_no_rebuild_is_advised_while_another_program_has_the_state_database_open(propsync, held_state):
    printed = propsync("status").stdout
    assert "No run can use the state database: IO Error: Could not set lock on file" in printed
    assert printed.endswith("\nNext: Close the file in that program, or end it (PID is its number), then run again\n")
    assert "state/warehouse.duckdb: IO Error: Could not set lock" in propsync("doctor").stdout


@pytest.mark.parametrize("command", ["sync", "rebuild"])
def test_no_run_goes_past_a_state_database_that_another_program_has_open(propsync, held_state, command: str):
    """A rebuild would not carry over what it cannot read there."""
    done = propsync(command)
    assert done.returncode == 1
    assert done.stderr.endswith("Close the file in that program, or end it (PID is its number), then run again\n")


def test_an_older_state_database_that_somebody_restored_is_found_before_the_night(propsync, synced):
    state = synced / "state" / "warehouse.duckdb"
    older = state.read_bytes()
    assert propsync("sync", "--no-archive").returncode == 0
    state.write_bytes(older)
    printed = propsync("status").stdout
    assert "No run can use the state database: it does not hold run 2" in printed
    assert printed.endswith("\nNext: propsync rebuild\n")
    done = propsync("doctor")
    assert (done.returncode, "state/warehouse.duckdb: it does not hold run 2" in done.stdout) == (1, True)
    assert propsync("rebuild").returncode == 0
    assert "propsync rebuild" not in propsync("status").stdout
    assert propsync("doctor").returncode == 0


def test_doctor_names_an_interrupted_erasure_which_keeps_the_night_from_starting(propsync, synced):
    erasures = Erasures(LocalStorage(synced))
    mark = erasures.marker().mark(ID, "asset-1")
    erasures.put(Erasure("0123456789ab", "asset", datetime(2026, 5, 4, tzinfo=UTC), "asked", record=mark))
    done = propsync("doctor")
    assert (done.returncode, "an erasure was interrupted" in done.stdout) == (1, True)
    assert "or `propsync erase --resume`" in done.stdout


def test_a_rebuild_leaves_no_table_and_no_check_out_of_ops(propsync, synced):
    def named(sql):
        return {tuple(row.values()) for row in json.loads(propsync("query", sql, "--format", "json").stdout)}

    tables, checks = "select table_schema, table_name from ops.tables", "select check_name from ops.checks"
    before = named(tables), named(checks)
    assert propsync("rebuild").returncode == 0
    assert [one - after for one, after in zip(before, (named(tables), named(checks)), strict=True)] == [set(), set()]


def test_doctor_shows_the_shapes_found_and_why(propsync):
    done = propsync("doctor")
    assert done.returncode == 0, done.stdout
    assert "shape of assets: result_field: field (found: 100% of its values are field ids)" in done.stdout
    assert "Next: propsync sync" in done.stdout


def test_doctor_names_the_base_url_if_the_api_has_no_such_list(propsync, sandbox):
    sandbox.set_faults([{"match": {"path": ".*"}, "effect": {"kind": "status", "status": 404}}])
    done = propsync("doctor")
    assert done.returncode == 1
    assert done.stdout.count("→ Check the path in PROPSYNC_BASE_URL") == 5


def test_doctor_misses_a_state_database_that_is_gone(propsync, synced):
    assert "BAD" not in propsync("doctor").stdout
    shutil.rmtree(synced / "state")
    done = propsync("doctor")
    assert done.returncode == 1
    assert (
        "state/warehouse.duckdb: it is missing, though tables are published\n     → Run `propsync rebuild`"
        in done.stdout
    )


def test_doctor_knows_the_state_of_another_version(propsync, synced):
    of_another_version(synced)
    done = propsync("doctor")
    assert done.returncode == 1
    assert "state/warehouse.duckdb: its schema version is 0, not" in done.stdout


def test_doctor_reports_the_rest_if_the_published_file_is_damaged(propsync, synced):
    published = synced / "published" / "warehouse.duckdb"
    published.chmod(0o600)
    published.write_bytes(published.read_bytes()[:9000])
    done = propsync("doctor")
    assert done.returncode == 2
    assert "published/warehouse.duckdb: it cannot be opened" in done.stderr
    for what in ("lock", "user", "bucket", "GET /assessments/schedules"):
        assert f"\nok   {what}: " in done.stdout


def test_doctor_says_what_to_mend(propsync):
    done = propsync("doctor", token="not-the-token-of-this-server")
    assert done.returncode == 1
    assert "BAD  GET /properties/assets/types" in done.stdout
    assert "→" in done.stdout


@pytest.mark.release
def test_the_reference_lists_become_tables(propsync, sandbox, synced):
    from propsync_sandbox import write_reference

    write_reference(sandbox.world, synced)
    (synced / "propsync.toml").write_text('[reference]\nproperties = "properties.csv"\nusers = "users.csv"\n')
    assert propsync("sync").returncode == 0
    sql = "select count(*) as n from assets join properties using (property_id) where name <> ''"
    assert json.loads(propsync("query", sql, "--format", "json").stdout) == [{"n": 120}]


@pytest.mark.release
def test_a_shape_set_wrongly_is_told_and_empties_nothing(propsync, synced):
    (synced / "propsync.toml").write_text('[shapes.assets]\nresult_field = "definition.id"\n')
    assert "BAD  [shapes.assets] result_field: definition.id is in none of" in propsync("doctor").stdout
    done = propsync("sync")
    assert done.returncode == 3
    assert done.stdout.endswith("Next: propsync status\n")
    told = propsync("status").stdout
    assert re.search(r"^assets .* rows  could not be read at \S+ \S+ UTC; its older rows stay$", told, re.MULTILINE)
    assert told.count("definition.id is in none of") == 1, "the status gives each reason once"
    assert re.search("^Left behind: assets keep the rows of .* definition.id is in none of", told, re.MULTILINE)
    labelled = propsync("query", "select count(*) > 500 as n from asset_field_values where label is not null")
    assert "true" in labelled.stdout.lower()


@pytest.mark.parametrize("toml", ['[shapes.asset]\nid = "x"\n', '[shapes.assets]\nresult_feld = "x"\n'])
def test_a_part_of_a_shape_that_there_is_not_is_wrong_settings(propsync, home: Path, toml: str):
    home.mkdir()
    (home / "propsync.toml").write_text(toml)
    done = propsync("sync")
    assert done.returncode == 2
    assert "[shapes" in done.stderr


def test_asking_for_one_status_makes_no_other_versions_of_the_same_schedules(propsync, synced):
    done = propsync("sync", "--json", "--only", "schedules", schedule_statuses="notstarted")
    assert json.loads(done.stdout)["resources"]["schedules"]["updated"] == 0


@pytest.mark.release
def test_the_demo_ends_well_and_prints_numbers(tmp_path: Path):
    needless = {"PROPSYNC_PAGE_LIMIT": "0"}  # the demo reads no setting of people's
    done = Program(tmp_path, needless)("demo", "--scale", "150")
    assert done.returncode == 0, done.stderr
    for title in (
        "Assets by type",
        "What is overdue",
        "What changed last night",
        "How complete each read was",
        "Reports",
        "Assets: 0 to create, 3 to update, 0 to delete; 3 values to set, 0 to clear; 1 refusal",
        "has '31/02'",
    ):
        assert title in done.stdout
    assert "certified" in done.stdout
    assert not [line for line in drawn() if line not in " ".join(done.stdout.split())], "run `make picture`"


def drawn() -> list[str]:
    """The titles and the heads of tables in the picture of README.md: what does not depend on the scale."""
    picture = (Path(__file__).parents[2] / "docs" / "images" / "demo.svg").read_text(encoding="utf-8")
    texts = [html.unescape(text).replace("\xa0", " ") for text in re.findall(r"<text[^>]*>([^<]+)</text>", picture)]
    lines = [" ".join(text.split()) for text in texts if not text.startswith(("$", "propsync demo"))]
    shown = [line for line in lines if line and not re.search(r"\d|─", line)]
    assert len(shown) >= 9
    return shown


def test_a_package_that_is_missing_is_named_and_is_no_fault_of_propsync(program, synced, tmp_path: Path):
    (tmp_path / "missing").mkdir()
    (tmp_path / "missing" / "duckdb.py").write_text("import missing_part\n")
    program.environ["PYTHONPATH"] = str(tmp_path / "missing")
    done = program.shell("propsync query 'select 1'")
    assert done.returncode == 1
    assert done.stderr.startswith(f"propsync: the package missing_part is not in {sys.prefix}. Install propsync there")


@pytest.mark.release
@pytest.mark.parametrize("rows", [3, 100_000])
def test_a_reader_that_has_gone_hears_no_complaint(program, synced, rows: int):
    done = program.shell(f"propsync query 'from range({rows})' --format csv | (read line && echo $line)")
    assert (done.stdout, done.stderr) == ("range\n", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "printed"),
    [
        ("--version >&-", 0, ""),
        ("status --max-age 0m | (exec <&-; sleep 0.5); exit ${PIPESTATUS[0]}", 3, ""),
        ("query 'from range(200000)' --format csv | (exec <&-; sleep 0.5); exit ${PIPESTATUS[0]}", 0, ""),
        ("query 'from range(200000)' | head -1; exit ${PIPESTATUS[0]}", 0, ""),
        ("boats >&- 2>&-", 2, ""),
        ("query ''", 2, "the statement returns no rows"),
        ("--version >/dev/full", 1, "standard output: it cannot be written"),
        ("query 'select 1' >/dev/full", 1, "standard output: it cannot be written"),
        ("query 'select 1' --format csv >/dev/full", 1, "standard output: it cannot be written"),
    ],
)
def test_output_that_cannot_be_handed_over_costs_neither_the_code_nor_the_words(
    program, synced, words: str, code: int, printed: str
):
    program.environ.pop("PYTHONUNBUFFERED", None)  # what is printed waits until the end
    done = program.shell(f"propsync {words}")
    assert done.returncode == code, done.stderr
    assert printed in done.stderr
    assert "Traceback" not in done.stderr


def test_frames_have_types_that_keep_missing_values(synced_once: Path):
    import propsync as package

    with package.open(synced_once / "published" / "warehouse.duckdb") as reader:
        frame = reader.frame("select * from asset_field_values")
        assert str(frame["value_number"].dtype) == "Float64"
        assert str(frame["position"].dtype) == "Int64"
        assert str(frame["label"].dtype) == "string"
        assert str(frame["value_date"].dtype).startswith("datetime64")
        assert frame["value_number"].isna().any()
        assessments = reader.frame("select * from assessments")
        assert str(assessments["performed_for"].dtype) == "boolean"
        assert "UTC" in str(assessments["first_seen_at"].dtype)
        assert len(reader.sql("select * from assets").fetchall()) == 120


def test_parquet_has_the_rows_of_the_warehouse(synced_once: Path):
    assert pq.read_table(synced_once / "published" / "parquet" / "main" / "assets.parquet").num_rows == 120


@pytest.mark.release
def test_a_rebuild_needs_neither_address_nor_token(propsync, synced):
    (synced / "state" / "warehouse.duckdb").write_bytes(b"damaged")
    refused = propsync("sync")
    assert refused.returncode == 1
    assert "propsync rebuild" in refused.stderr
    done = propsync("rebuild", base_url=None, token=None)
    assert done.returncode == 0, done.stderr
    assert "Next: propsync status" in done.stdout
    report = json.loads(propsync("rebuild", "--json", base_url=None, token=None).stdout)
    assert (report["status"], report["resources"]["assets"]["records"]) == ("ok", 120)
    assert propsync("sync").returncode == 0


def test_a_rebuild_of_nothing_says_what_to_do(propsync):
    done = propsync("rebuild", base_url=None, token=None)
    assert done.returncode == 2
    assert "nothing to rebuild from. Run `propsync sync`" in done.stderr


def test_half_a_state_of_a_first_sync_is_to_be_moved_away(propsync, tmp_path):
    """A sync asks for a rebuild of it, which has no landing to make another from."""
    home = str(tmp_path / "half")
    half = Path(home, "state", "warehouse.duckdb")
    half.parent.mkdir(parents=True)
    half.touch()
    assert "Run `propsync rebuild`" in propsync("sync", home=home).stderr
    refused = propsync("rebuild", home=home).stderr
    assert f"Move {half} out of the way, then run `propsync sync`" in refused
    half.unlink()
    assert propsync("sync", "--only", "schedules", home=home).returncode == 0


def test_published_tables_alone_send_nobody_from_a_sync_to_a_rebuild_and_back(propsync, synced):
    for name in ("state", "landing", "archive"):
        shutil.rmtree(synced / name)
    assert "Run `propsync rebuild`" in propsync("sync").stderr
    refused = propsync("rebuild").stderr
    assert "it is empty" in refused
    assert "with a new folder as PROPSYNC_HOME" in refused


@pytest.mark.release
def test_status_tells_the_disk_use_and_a_rebuild_makes_nothing_fresher(propsync, synced):
    before = json.loads(propsync("status", "--json").stdout)
    assert propsync("rebuild").returncode == 0
    after = json.loads(propsync("status", "--json").stdout)
    assert after["published_at"] == before["published_at"]
    assert after["runs"][0]["flow"] == "rebuild"
    assert {name: used > 0 for name, used in after["disk_bytes"].items()} == {
        "published": True,
        "state": True,
        "landing": True,
        "archive": True,
    }
    assert "On disk: published " in propsync("status").stdout


def test_as_json_a_command_that_fails_before_it_has_a_report_leaves_standard_output_empty(propsync, synced):
    for words in (
        ("backfill",),
        ("sync", "--only", "doors"),
        ("push", "show", "no.plan"),
        ("rebuild", "--accept-loss", "x"),
    ):
        done = propsync(*words, "--json")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("propsync: ")


def test_a_run_that_publishes_nothing_says_so_in_its_last_line_on_standard_error(propsync, sandbox, synced):
    sandbox.set_faults([{"match": {"path": ".*"}, "effect": {"kind": "status", "status": 400}}])
    for words in (("sync", "--no-archive"), ("sync", "--json"), ("backfill", "--asset", "a")):
        done = propsync(*words)
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last.startswith("propsync: nothing was published: asset types keep the rows of 2")
    printed = propsync("status").stdout
    assert "failed: nothing could be read" in printed
    assert "failed: nothing could be read: GET /properties/assets/types: the API refused the request: 400" in printed
    assert printed.endswith("Next: propsync doctor, then propsync sync\n")


def test_a_first_night_that_reads_nothing_sends_nobody_to_tables_that_nobody_has(propsync, sandbox):
    sandbox.set_faults([{"match": {"path": ".*"}, "effect": {"kind": "status", "status": 400}}])
    done = propsync("sync", "--no-archive")
    assert done.returncode == 1
    assert "Left behind: assets were never read yet" in done.stdout
    assert "propsync query" not in done.stdout
    assert propsync("status").stdout.endswith("Next: propsync doctor, then propsync sync\n")


def test_a_table_that_is_piped_is_not_cut(propsync, synced):
    assert "…" not in propsync("query", "--tables").stdout
    assert "…" not in propsync("query", "--describe", "schedules").stdout
    assert "x" * 500 in propsync("query", "select repeat('x', 500) as long, 1 as one").stdout


def test_a_backfill_that_finds_nothing_asks_how_ids_are_spelt(propsync, synced):
    done = propsync("backfill", "--property", "nonsense")
    assert done.returncode == 0
    assert "check that you gave ids, spelt as in the API" in done.stdout
    assert "check that you gave ids, spelt as in the API" in done.stderr


@pytest.mark.release
def test_a_rebuild_takes_several_runs_whose_loss_is_accepted(propsync, synced):
    runs = ("20200101T000000000000Z", "20200102T000000000000Z")
    done = propsync("rebuild", "--accept-loss", *runs)
    assert done.returncode == 0, done.stderr
    assert f"Nothing of run {', '.join(runs)} is lost" in done.stdout
    assert propsync("rebuild", "--accept-loss", "last-night").returncode == 2


def test_a_shell_without_the_home_is_named(propsync, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    published = tmp_path / "propsync" / "published"
    assert propsync("status", home=None).stdout.startswith(f"Nothing is published in {published} (PROPSYNC_HOME is not")
    assert "if the tables are in another home, set PROPSYNC_HOME" in propsync("query", "select 1", home=None).stderr
    assert "is not set" not in propsync("status", home=str(tmp_path / "other")).stdout
