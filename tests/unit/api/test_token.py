"""Promises about the token: sent with every request, read again when refused, shown nowhere."""

import logging
import threading

import pytest
from unit.api.loopback import LIST, TOKEN, Reply

from propsync.api import TokenSource
from propsync.errors import PropsyncError, TokenRefused

FRESH = "tok-fresh-9876543210"


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    return file


def only(*tokens):
    """A server's answer: 401 for any other token."""
    allowed = {f"Bearer {token}" for token in tokens}
    return lambda seen: Reply() if seen.headers["Authorization"] in allowed else Reply(401, b'{"error":"no"}')


def test_every_request_carries_the_token(api, server):
    api.fetch(LIST)
    assert server.seen[0].headers["Authorization"] == f"Bearer {TOKEN}"


def test_a_refused_token_ends_the_run_in_one_request(api, server, clock):
    server.script = [Reply(401)]
    with pytest.raises(TokenRefused, match="PROPSYNC_TOKEN is not accepted") as caught:
        api.fetch(LIST)
    assert (len(server.seen), clock.sleeps, caught.value.exit_code) == (1, [], 1)


def test_a_refused_token_for_writes_is_named_so(connect, server):
    server.script = [Reply(401)]
    with pytest.raises(
        TokenRefused, match=r"in PROPSYNC_PUSH_TOKEN is not accepted\. Put a valid token in PROPSYNC_PUSH"
    ):
        connect(token=TokenSource(TOKEN, variable="PROPSYNC_PUSH_TOKEN")).fetch(LIST)


def test_a_refused_token_of_a_block_names_the_block(connect, server):
    server.script = [Reply(401)]
    source = TokenSource(TOKEN, variable="Prefect's Secret block propsync-token")
    place = "Prefect's Secret block propsync-token"
    with pytest.raises(
        TokenRefused, match=f"the token in {place} is not accepted. Put a valid token in {place}, then start the run"
    ):
        connect(token=source).fetch(LIST)


@pytest.mark.parametrize("quote", ["'", '"'])
def test_quotation_marks_around_a_refused_token_are_named(connect, server, quote):
    server.answer = only(TOKEN)
    with pytest.raises(TokenRefused, match="Remove the quotation marks around the token in PROPSYNC_TOKEN, then"):
        connect(token=TokenSource(f"{quote}{TOKEN}{quote}")).fetch(LIST)


def test_a_new_token_in_the_file_goes_on_without_costing_an_attempt(connect, server, file, clock):
    server.answer = only(FRESH)
    api = connect(token=TokenSource(TOKEN, file))
    file.write_text(FRESH)
    assert api.fetch(LIST).attempts == 1
    assert clock.sleeps == []
    assert (api.traffic.requests, api.traffic.retries) == (2, 1)


@pytest.mark.parametrize("content", [f"{TOKEN}\n", "", "two words", None, "tok-also-refused"])
def test_a_file_without_a_better_token_ends_the_run(connect, server, file, content):
    server.answer = only(FRESH)
    api = connect(token=TokenSource(TOKEN, file))
    file.unlink() if content is None else file.write_text(content)
    with pytest.raises(TokenRefused, match=str(file)):
        api.fetch(LIST)
    assert len(server.seen) <= 2


def test_a_file_that_goes_back_and_forth_does_not_go_on_for_ever(connect, server, file):
    def answer(seen):
        file.write_text(FRESH if TOKEN in seen.headers["Authorization"] else TOKEN)
        return Reply(401)

    server.answer = answer
    with pytest.raises(TokenRefused):
        connect(token=TokenSource(TOKEN, file)).fetch(LIST)
    assert len(server.seen) == 2


def test_many_refused_at_once_all_go_on_with_the_new_one(connect, server, file):
    server.answer = only(FRESH)
    api = connect(token=TokenSource(TOKEN, file))
    file.write_text(FRESH)
    assert list(api.fetch_all([LIST] * 40, lambda answer: answer.status)) == [200] * 40
    refused = [seen for seen in server.seen if TOKEN in seen.headers["Authorization"]]
    assert len(refused) <= 8


def test_many_refused_at_once_end_in_one_refusal(connect, server, file):
    server.answer = only(FRESH)
    with pytest.raises(TokenRefused):
        list(connect(token=TokenSource(TOKEN, file)).fetch_all([LIST] * 40, lambda answer: answer))
    assert len(server.seen) < 40


def test_threads_that_race_for_the_file_get_the_same_token(file):
    source = TokenSource(TOKEN, file)
    file.write_text(FRESH)
    got = []
    threads = [threading.Thread(target=lambda: got.append(source.after_refusal(TOKEN))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [FRESH] * 8


def test_a_post_refused_for_its_token_is_sent_again_with_the_new_one(connect, server, file):
    allowed = only(FRESH)
    server.answer = lambda seen: Reply(body=b'{"id":"a1"}') if allowed(seen).status == 200 else Reply(401)
    api = connect(token=TokenSource(TOKEN, file))
    file.write_text(FRESH)
    assert api.create_asset("p", "t") == "a1"


ECHOES = [
    Reply(400, b'{"code":"bad %s"}' % TOKEN.encode()),
    Reply(302, headers={"Location": f"https://h/{TOKEN}?t={TOKEN}"}),
    Reply(500, TOKEN.encode(), {"X-Echo": TOKEN}),
    Reply(418, b'{"code":"%s"}' % TOKEN.encode()),
    Reply(200, TOKEN.encode(), {"Content-Encoding": TOKEN}),
    Reply(200, b"%PDF", {"Content-Encoding": "gzip"}),
    Reply(raw=f"{TOKEN} nonsense\r\n\r\n".encode()),
    Reply(raw=f"HTTP/1.1 200 OK\r\nContent-Length: {TOKEN}\r\n\r\n".encode()),
    Reply(401, headers={"WWW-Authenticate": f"Bearer {TOKEN}"}),
]


@pytest.mark.parametrize("reply", ECHOES)
def test_a_server_that_echoes_the_token_gets_it_into_no_error_and_no_log(api, server, reply, caplog):
    logging.getLogger("httpcore").setLevel(logging.DEBUG)
    server.script = [reply]
    with pytest.raises(PropsyncError) as caught:
        api.fetch(LIST)
    error: BaseException | None = caught.value
    while error is not None:
        assert TOKEN not in f"{error} {error!r} {vars(error)}"
        error = error.__cause__ or error.__context__
    assert caplog.records
    assert TOKEN not in caplog.text


@pytest.mark.parametrize("reply", ECHOES)
def test_propsync_itself_logs_no_token_where_nobody_guards_the_log(api, server, reply, caplog, monkeypatch):
    monkeypatch.setattr(logging, "_logRecordFactory", logging.LogRecord)
    caplog.set_level(logging.WARNING, "httpcore")
    server.script = [reply] * 8
    with pytest.raises(PropsyncError):
        api.fetch(LIST)
    assert TOKEN not in caplog.text


def test_the_token_is_in_no_repr(api, file):
    answer = api.fetch(LIST)
    source = TokenSource(TOKEN, file)
    assert TOKEN not in repr([api, answer, answer.request, source, api.traffic])
    assert str(file) in repr(source)


def test_cookies_are_not_kept(api, server):
    server.script = [Reply(headers={"Set-Cookie": "session=1; Path=/"}), Reply()]
    api.fetch(LIST)
    api.fetch(LIST)
    assert "Cookie" not in server.seen[1].headers
