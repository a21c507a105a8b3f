"""Promises about bodies: kept as received, undone by us, bounded, and checked."""

import codecs
import gzip
import hashlib
import io
import zlib
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from unit.api.loopback import HANG_UP, LIST, Reply

from propsync.api import check_text
from propsync.api.decoding import Decoder, decoded
from propsync.errors import DiskFull, HomeUnusable, MalformedBody, NotFound, PageTooLarge, UnexpectedAnswer

BODY = b'{"total":1,"assets":[' + b'{"id":"x"},' * 5000 + b"{}]}"


def raw_deflate(body):
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(body) + compressor.flush()


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "deflate": zlib.compress,
    "x-gzip": lambda body: gzip.compress(body[:100]) + gzip.compress(body[100:]),
    "raw deflate": raw_deflate,
    "identity": lambda body: body,
}


def packed(name, body=BODY, **more):
    return Reply(body=PACK[name](body), headers={"Content-Encoding": name.removeprefix("raw ")} | more)


@pytest.mark.parametrize("name", PACK)
def test_a_body_is_kept_as_received_and_undone(api, server, name):
    server.script = [packed(name, **{"Content-Type": "application/json; charset=utf-8"})]
    answer = api.fetch(LIST)
    assert answer.body == BODY
    assert answer.raw == server.script[0].body
    assert answer.content_type == "application/json; charset=utf-8"
    assert api.traffic.bytes == len(answer.raw)


@pytest.mark.parametrize("name", PACK)
def test_a_byte_order_mark_is_kept_as_received_and_not_read(api, server, name):
    marked = codecs.BOM_UTF8 + BODY
    server.script = [packed(name, marked)]
    answer = api.fetch(LIST)
    assert (answer.body, answer.received) == (BODY, marked)
    assert answer.raw == server.script[0].body


@pytest.mark.parametrize("body", [b"", b" \r\n", codecs.BOM_UTF8])
@pytest.mark.parametrize("walks", [True, False])
def test_an_empty_body_is_said_to_be_empty(api, server, body, walks):
    server.script = [Reply(body=body)]
    with pytest.raises(UnexpectedAnswer, match="the body is empty"):
        api.fetch(LIST, walks=walks)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"<html>login</html>", r"is not JSON \(it is a web page or XML\)"),
        (codecs.BOM_UTF8 + b"\r\n<!doctype html>", r"is not JSON \(it is a web page or XML\)"),
        (gzip.compress(BODY), r"is not UTF-8 \(byte 1\)"),
        (BODY.decode().encode("utf-16"), r"is not UTF-8 \(byte 0\)"),
        (b'"text"', "is JSON, but neither an object nor an array"),
    ],
)
@pytest.mark.parametrize("walks", [True, False])
def test_a_body_that_is_not_json_is_never_called_json(api, server, body, fault, walks):
    server.script = [Reply(body=body)]
    with pytest.raises(UnexpectedAnswer, match=fault):
        api.fetch(LIST, walks=walks)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b'{"total": 1, "assets": [{"id": "a", "width": NaN}]}', r"\(NaN at byte 45, and JSON has no such number\)"),
        (b'{"said": "\\"NaN", "width": [-Infinity]}', r"\(-Infinity at byte 28, and JSON has no such number\)"),
        (b'{"said": "NaN", "width": 01}', r"is not JSON \(JSON is malformed"),
        (b'{"said": "not NaN, but cut', r"is not JSON \(Input data was truncated\)"),
        (b'{"said": "caf\xe9"}', r"is not UTF-8 \(byte 13\)"),
        (BODY.decode().encode("utf-16"), r"is not UTF-8 \(byte 0\)"),
    ],
)
def test_broken_json_is_laid_to_no_login_page(api, server, body, fault):
    server.script = [Reply(body=body)]
    with pytest.raises(UnexpectedAnswer, match=fault) as raised:
        api.fetch(LIST)
    assert "Ask the people who run the API, or your proxy, for whole, valid JSON in UTF-8" in str(raised.value)
    assert "login" not in str(raised.value)


def test_zstd_and_gzip_are_asked_for_but_not_for_documents(api, server):
    api.fetch(LIST)
    server.script = [Reply(body=b"%PDF-1.7")]
    api.documents.report("a", io.BytesIO())
    assert [seen.headers["Accept-Encoding"] for seen in server.seen] == ["zstd, gzip", "identity"]
    assert {seen.headers["Cache-Control"] for seen in server.seen} == {"no-cache"}  # no proxy may answer from memory


@pytest.mark.parametrize("name", ["gzip", "zstd", "deflate", "raw deflate"])
@pytest.mark.parametrize("harm", ["cut", "flipped", "empty", "trailing", "not compressed"])
def test_a_harmed_body_is_asked_for_again(api, server, name, harm):
    good = PACK[name](BODY)
    middle = len(good) // 2
    bad = {
        "cut": good[:-1],
        "flipped": good[:2] + bytes([good[2] ^ 0xFF, *(b ^ 0xFF for b in good[3:middle])]) + good[middle:],
        "empty": b"",
        "trailing": good + b"\x01\x02\x03 no frame of any kind",
        "not compressed": BODY,
    }[harm]
    server.script = [Reply(body=bad, headers={"Content-Encoding": name.removeprefix("raw ")}), packed(name)]
    answer = api.fetch(LIST)
    assert (answer.attempts, answer.body) == (2, BODY)


def test_a_compression_nobody_asked_for_is_not_guessed(api, server):
    server.script = [Reply(body=BODY, headers={"Content-Encoding": "br"})]
    with pytest.raises(UnexpectedAnswer, match="'br', which propsync did not ask for") as caught:
        api.fetch(LIST)
    assert "compress bodies only as Accept-Encoding says" in caught.value.next_step


@given(st.sampled_from(sorted(PACK)), st.binary(max_size=5000), st.integers(1, 2000))
def test_any_body_cut_into_any_chunks_comes_out_whole(name, body, size):
    compressed = PACK[name](body)
    chunks = [compressed[start : start + size] for start in range(0, len(compressed), size)]
    encoding = {"x-gzip": "gzip", "raw deflate": "deflate", "identity": ""}.get(name, name)
    assert b"".join(decoded(chunks, Decoder(encoding, "test"))) == body


@given(st.sampled_from(["gzip", "zstd", "deflate"]), st.binary(max_size=300))
def test_any_bytes_are_undone_or_malformed(encoding, body):
    try:
        b"".join(decoded([body], Decoder(encoding, "test")))
    except MalformedBody:
        return


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"null",
        b"5",
        b'"text"',
        b"{} x",
        b"{} {}",
        b'{"a":1,}',
        b"[1,]",
        b'{"a":NaN}',
        b"{'a':1}",
        b'{"a":"\xff"}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\n"}',
        '{"a":1}'.encode("utf-16"),
        b"[" * 100_000,
        b"[" * 100_000 + b"}" * 100_000,
    ],
)
def test_what_is_not_json_is_unexpected_in_the_end(api, server, body):
    server.script = [Reply(body=body)]
    with pytest.raises(UnexpectedAnswer):
        api.fetch(LIST)
    assert len(server.seen) == 8


@pytest.mark.parametrize("body", [b"{}", b"[]", b' \r\n\t{"a":[1e5,"\\u00e9"]} ', '{"é":"😀"}'.encode()])
def test_what_is_json_passes(api, server, body):
    server.script = [Reply(body=body)]
    assert api.fetch(LIST).body == body


def test_a_schedule_may_be_null(api, server):
    server.script = [Reply(body=b" null\n")]
    assert api.schedule("p", "t").body == b" null\n"


def test_a_check_may_have_the_request_repeated(api, server):
    server.script = [Reply(body=b'{"total":1}'), Reply(body=b'{"total":2}')]

    def check(answer):
        if b"2" not in answer.body:
            raise MalformedBody(str(answer.request), "total is not 2")

    assert api.fetch(LIST, check=check).body == b'{"total":2}'
    server.script = [Reply(body=b'{"total":1}')]
    with pytest.raises(UnexpectedAnswer, match="total is not 2, after 8 attempts"):
        api.fetch(LIST, check=check)


@pytest.mark.parametrize("name", ["identity", "gzip", "zstd"])
def test_a_body_beyond_its_bound_is_not_read(connect, server, name):
    server.script = [packed(name, b'{"a":"' + b"x" * 5_000_000 + b'"}')]
    with pytest.raises(PageTooLarge, match="100,000 bytes"):
        connect(max_body_bytes=100_000).fetch(LIST)
    assert len(server.seen) == 1


def test_a_body_of_undeclared_length_is_bounded_too(connect, server):
    server.script = [Reply(raw=b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b" " * 3_000_000)]
    with pytest.raises(PageTooLarge):
        connect(max_body_bytes=100_000).fetch(LIST)


def test_a_chunked_body_that_ends_early_is_asked_for_again(api, server):
    server.script = [Reply(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"), Reply()]
    assert api.fetch(LIST).attempts == 2


@pytest.mark.parametrize(("ask", "header"), [("report", b"%PDF-"), ("bundle", b"PK\x03\x04")])
def test_a_document_is_written_hashed_and_begun_afresh_after_a_break(api, server, ask, header):
    body = header + bytes(range(256)) * 2000
    cut = Reply(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 600000\r\n\r\n" + body + b"more")
    server.script = [cut, Reply(body=b"<html>"), HANG_UP, Reply(body=body)]
    file = io.BytesIO(b"before")
    file.seek(6)
    saved = getattr(api.documents, ask)("a", file)
    assert file.getvalue() == b"before" + body
    assert (saved.size, saved.sha256, saved.attempts) == (len(body), hashlib.sha256(body).hexdigest(), 4)


def test_a_document_that_came_compressed_all_the_same_is_undone(api, server):
    server.script = [packed("gzip", b"%PDF-1.4 " + b"x" * 100_000)]
    file = io.BytesIO()
    assert api.documents.report("a", file).size == len(file.getvalue()) == 100_009


def test_a_document_beyond_its_bound_ends(api, server):
    server.script = [Reply(body=b"PK" + b"x" * 1000)]
    with pytest.raises(PageTooLarge):
        api.documents.bundle("a", io.BytesIO(), max_bytes=1000)


def test_a_page_instead_of_a_document_is_unexpected(api, server):
    server.script = [Reply(body=b"<html>")]
    with pytest.raises(UnexpectedAnswer, match="not a ZIP"):
        api.documents.bundle("a", io.BytesIO())


@pytest.mark.parametrize(("number", "kind"), [(28, DiskFull), (122, DiskFull), (5, HomeUnusable)])
def test_a_disk_that_takes_no_more_stops_the_run(api, server, number, kind):
    class Disk(io.BytesIO):
        def write(self, piece):
            raise OSError(number, "the disk says no")

    server.script = [Reply(body=b"%PDF-1.7")]
    with pytest.raises(kind, match="the disk says no"):
        api.documents.report("a", Disk())
    assert len(server.seen) == 1


def test_a_report_can_be_asked_after_without_reading_all_of_it(api, server):
    server.script = [Reply(body=b"%PDF-" + b"x" * 10_000_000)]
    assert api.documents.probe_report("a") is None
    assert 0 < api.traffic.bytes < 1_000_000
    server.script = [Reply(404)]
    with pytest.raises(NotFound):
        api.documents.probe_report("a")


@pytest.mark.parametrize("body", [b"", b"%PD", b"<!doctype html>", b"{}"])
def test_a_page_in_place_of_a_report_says_nothing_about_it(api, server, body):
    server.script = [Reply(body=body)]
    with pytest.raises(UnexpectedAnswer, match="not a PDF"):
        api.documents.probe_report("a")


@pytest.mark.parametrize("letter", ["é", "€", "🚪"])
@pytest.mark.parametrize("before", range(65_530, 65_537))
def test_a_letter_on_the_border_of_two_pieces_is_whole(before, letter):
    body = b"x" * before + letter.encode() + b"y" * 70_000
    check_text(body, "here")
    with pytest.raises(MalformedBody, match=rf"not UTF-8 \(byte {before}\)"):
        check_text(body.replace(letter.encode(), letter.encode()[:-1]), "here")
    with pytest.raises(MalformedBody, match="not UTF-8"):
        check_text(body[: before + 1], "here")
