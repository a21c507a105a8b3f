"""Log files of the programs: the last is kept, none grows without end, and propsync finds the line that says why."""

from propsync.serving import logs


def test_the_log_of_the_life_before_is_kept(tmp_path):
    log = tmp_path / "server.log"
    for text in (b"first\n", b"second\n", b"third\n"):
        with logs.opened(log) as file:
            file.write(text)
    assert (log.read_bytes(), logs.previous(log).read_bytes()) == (b"third\n", b"second\n")


def test_one_that_grew_too_long_is_put_aside_while_its_program_writes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "_MOST", 10)
    log = tmp_path / "server.log"
    with logs.opened(log) as file:
        file.write(b"a line that is long\n")
        file.flush()
        logs.keep_small(log)
        file.write(b"next\n")
    logs.keep_small(log)
    assert (log.read_bytes(), logs.previous(log).read_bytes()) == (b"next\n", b"a line that is long\n")


def test_the_last_line_with_an_error_is_found_else_the_last_one(tmp_path):
    log = tmp_path / "server.log"
    log.write_text("started\nsqlite3.OperationalError: disk is full\n\nServer stopped!\n")
    assert logs.last_trouble(log) == "sqlite3.OperationalError: disk is full"
    log.write_text("started\nServer stopped!\n\n")
    assert logs.last_trouble(log) == "Server stopped!"
    log.write_text("")
    assert logs.last_trouble(log) == ""
