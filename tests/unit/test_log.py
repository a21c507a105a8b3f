"""Promises of the log: one line a message, no secret in any of them."""

import base64
import io
import json
import logging
import re
import subprocess
import sys
from urllib.parse import quote

import pytest

from propsync import log
from propsync.cli.terminal import lines

SECRET = "t0k/en+secret=="


@pytest.fixture(autouse=True)
def _undo():
    yield
    lines.configure(logging.WARNING, io.StringIO())


@pytest.fixture
def stream():
    stream = io.StringIO()
    lines.configure("DEBUG", stream)
    log.conceal(SECRET)
    return stream


def test_a_line_tells_time_level_place_and_message(stream):
    logging.getLogger("propsync.sweep").info("assets: %d pages", 3)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ INFO sweep assets: 3 pages\n", stream.getvalue())


def test_a_line_break_in_a_message_does_not_make_a_second_line(stream):
    logging.getLogger("propsync.api").warning("code %s", "a\n2026-01-01T00:00:00Z INFO all is well")
    assert stream.getvalue().count("\n") == 1


FORMS = {
    "plain": SECRET,
    "quoted": quote(SECRET, safe=""),
    "base64": base64.b64encode(SECRET.encode()).decode().rstrip("="),
    "header in base64": base64.b64encode(f"Bearer {SECRET}".encode()).decode(),
    "json": json.dumps({"token": SECRET}),
    "repr": repr(SECRET),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("logger", ["propsync.x", "httpx", "httpcore.http11", "prefect"])
def test_a_secret_is_in_no_line_in_any_form(stream, form, logger):
    logging.getLogger(logger).error("message %s", FORMS[form])
    logging.getLogger(logger).error("message " + FORMS[form])
    logging.getLogger(logger).error("headers %r", [(b"Authorization", FORMS[form].encode())])
    text = stream.getvalue()
    assert text.count("[redacted]") == 3
    assert FORMS[form] not in text
    assert SECRET not in text


def test_a_secret_is_in_no_traceback(stream):
    try:
        int(SECRET)
    except ValueError:
        logging.getLogger("propsync").exception("it failed")
    assert "[redacted]" in stream.getvalue()
    assert SECRET not in stream.getvalue()


def test_handlers_of_others_are_covered_too(stream):
    other = io.StringIO()
    handler = logging.StreamHandler(other)
    logger = logging.getLogger("prefect.somewhere")
    logger.addHandler(handler)
    try:
        logger.warning("%s", SECRET)
    finally:
        logger.removeHandler(handler)
    assert other.getvalue() == "[redacted]\n"


def test_a_secret_with_quotes_or_accents_is_found_in_its_escaped_forms(stream):
    secret = 'pä"ss\\wörd'
    log.conceal(secret)
    logging.getLogger("propsync").info("%s %r", json.dumps(secret), {"k": secret})
    assert "ss" not in stream.getvalue().split("INFO")[1]


def test_what_is_too_short_to_be_a_secret_conceals_nothing(stream):
    log.conceal("a")
    log.conceal("")
    assert log.redact("banana") == "banana"


@pytest.mark.parametrize(("level", "http"), [("INFO", logging.WARNING), ("DEBUG", logging.DEBUG)])
def test_http_libraries_speak_at_debug_only(level, http):
    lines.configure(level, io.StringIO())
    assert {logging.getLogger(name).level for name in ("httpx", "httpcore")} == {http}


def test_configuring_again_leaves_one_handler():
    before = len(logging.getLogger().handlers)
    lines.configure("INFO", first := io.StringIO())
    lines.configure("INFO", second := io.StringIO())
    logging.getLogger("propsync").info("once")
    assert first.getvalue() == ""
    assert second.getvalue().count("once") == 1
    assert len(logging.getLogger().handlers) == before


def test_a_message_with_wrong_arguments_is_shown_redacted(stream, capsys):
    logging.getLogger("propsync").info("%d and %d", SECRET)
    assert "%d and %d ('[redacted]',)" in stream.getvalue()
    assert capsys.readouterr().err == ""


def test_rich_is_imported_on_a_terminal_only():
    script = (
        "import sys, io, propsync.cli.terminal.lines as l\n"
        "l.configure('INFO', io.StringIO()); print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
