"""Promises of the connection itself: TLS, proxies, kept connections, time-outs."""

import re
import socket
import ssl
import traceback
from datetime import UTC, datetime, timedelta

import pytest
import trustme
from unit.api.loopback import LIST

from propsync.api import RetryPolicy
from propsync.errors import ApiUnreachable, CertificateRefused, TransientApiError, UsageError


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def secured(server, authority):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    return f"https://localhost:{server.server_port}"


def trusting(authority):
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def test_a_trusted_server_is_talked_to(connect, secured, authority):
    assert connect(secured, verify=trusting(authority)).fetch(LIST).status == 200


def test_an_untrusted_server_stops_the_run_without_a_second_try(connect, server, secured, clock):
    with pytest.raises(CertificateRefused, match="certificate was not accepted") as caught:
        connect(secured, verify=None).fetch(LIST)
    assert (server.seen, clock.sleeps, caught.value.exit_code) == ([], [], 1)


def test_a_certificate_for_another_name_stops_the_run(connect, server, secured, authority):
    with pytest.raises(CertificateRefused):
        connect(secured.replace("localhost", "127.0.0.1"), verify=trusting(authority)).fetch(LIST)


@pytest.mark.parametrize(
    ("days", "host", "step"),
    [
        ((-9, -1), "localhost", "renew the certificate"),
        ((1, 9), "localhost", "Correct the clock"),
        ((-9, 9), "other.example", "PROPSYNC_BASE_URL"),
        ((-9, 9), "10.0.0.1", "PROPSYNC_BASE_URL"),
    ],
)
def test_the_next_step_is_about_what_is_wrong_with_the_certificate(connect, server, authority, days, host, step):
    begins, ends = (datetime.now(UTC) + timedelta(days=day) for day in days)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host, not_before=begins, not_after=ends).configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    asked = "127.0.0.1" if host == "10.0.0.1" else "localhost"
    with pytest.raises(CertificateRefused) as caught:
        connect(f"https://{asked}:{server.server_port}", verify=trusting(authority)).fetch(LIST)
    assert step in caught.value.next_step


def test_a_file_of_authorities_that_nobody_can_read_is_named(connect, secured, tmp_path, monkeypatch):
    missing = tmp_path / "ca.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(missing))
    with pytest.raises(CertificateRefused) as caught:
        connect(secured).fetch(LIST)
    assert caught.value.next_step == f"Correct SSL_CERT_FILE: {missing} has no certificate that this user can read"
    missing.write_text("no certificate")
    with pytest.raises(CertificateRefused, match="not accepted") as caught:
        connect(secured).fetch(LIST)
    assert str(missing) in caught.value.next_step


def test_the_system_s_trust_store_is_the_one_that_counts(connect, secured, authority, tmp_path, monkeypatch):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    assert connect(secured, verify=None).fetch(LIST).status == 200


def test_tls_to_a_server_without_it_is_no_connection(connect, server):
    host = re.escape(server.url.removeprefix("http://"))
    with pytest.raises(ApiUnreachable, match=f"no connection to {host}: the server, or a proxy, does not speak https"):
        connect(server.url.replace("http:", "https:")).fetch(LIST)


def test_proxy_variables_are_obeyed(connect, server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", server.url)
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("http_proxy", server.url)
    connect("http://api.example.org").fetch(LIST)
    assert server.seen[0].target == "http://api.example.org/properties/assets"


def test_a_proxy_that_is_down_is_named_without_its_password(connect, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://user:pa55word@127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "")
    with pytest.raises(ApiUnreachable, match=r"no connection to api\.\S+ through the proxy 127\.0\.0\.1:9: ") as caught:
        connect("http://api.example.org").fetch(LIST)
    assert "pa55word" not in str(caught.value)


def test_a_proxy_variable_that_cannot_be_used_is_said_without_its_password(connect, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "gopher://user:pa55word@h")
    monkeypatch.setenv("https_proxy", "gopher://user:pa55word@h")
    with pytest.raises(UsageError, match="HTTPS_PROXY") as caught:
        connect()
    assert "pa55word" not in str(caught.value)


def test_connections_are_kept(api, server):
    accepted = []
    get_request = server.get_request

    def counted():
        accepted.append(1)
        return get_request()

    server.get_request = counted
    for _ in range(5):
        api.fetch(LIST)
    assert len(accepted) == 1


@pytest.fixture
def silent():
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_time_out_is_tried_again_and_counts_as_crowding(connect, silent, monkeypatch):
    monkeypatch.setattr("propsync.api.transport.READ_SECONDS", 0.05)
    api = connect(silent, policy=RetryPolicy(attempts=2, rng=lambda: 0.0))
    with pytest.raises(TransientApiError, match="ReadTimeout") as caught:
        api.fetch(LIST)
    assert not isinstance(caught.value, ApiUnreachable)
    assert api.concurrency == 1


def test_a_failure_carries_no_httpx_error_with_the_request_in_it(connect, secured):
    with pytest.raises(CertificateRefused) as caught:
        connect(secured, verify=None).fetch(LIST)
    frames = traceback.format_exception(caught.value)
    assert "httpx.ConnectError" not in "".join(frames)
    assert caught.value.__context__ is None
