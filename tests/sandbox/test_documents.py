"""Reports and bundles (API §4.7, 4.8)."""

import csv
import io
import zipfile
import zlib
from typing import Any

import httpx
import pytest

from propsync_sandbox import Sandbox, World
from propsync_sandbox.documents import bundle, report, subject


def document(sandbox: Sandbox, client: httpx.Client, name: str) -> httpx.Response:
    return client.get(f"/assessments/{sandbox.world.assessments.keys()[0]}/{name}")


def test_a_report_is_a_pdf_of_several_pages(sandbox: Sandbox, client: httpx.Client) -> None:
    answer = document(sandbox, client, "report.pdf")
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-1.")
    assert answer.content.rstrip().endswith(b"%%EOF")
    assert answer.content.count(b"/Type /Page\n") >= 3
    start = int(answer.content.rsplit(b"startxref", 1)[1].split()[0])
    assert answer.content[start:].startswith(b"xref")


def test_a_bundle_holds_the_report_the_tables_attachments_and_images(sandbox: Sandbox, client: httpx.Client) -> None:
    answer = document(sandbox, client, "bundle.zip")
    assert answer.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        assert packed.testzip() is None
        names = packed.namelist()
        assert {"report.pdf", "actions.csv", "controls.csv", "elements.csv"} <= set(names)
        assert any(name.startswith("attachments/") for name in names)
        assert packed.read("report.pdf") == document(sandbox, client, "report.pdf").content
        for name in ("actions.csv", "controls.csv", "elements.csv"):
            rows = list(csv.DictReader(io.StringIO(packed.read(name).decode(), newline="")))
            assert rows
            assert all(len(row["id"]) == 22 for row in rows)
            for row in rows:
                picture = row.get("image") or row.get("photo")
                assert not picture or picture in names


def test_the_pictures_are_sound_png() -> None:
    world = World(1, 24)
    about = subject(world, world.assessments.records()[0])
    with zipfile.ZipFile(io.BytesIO(bundle(about))) as packed:
        pictures = [packed.read(name) for name in packed.namelist() if name.endswith(".png")]
    assert pictures
    for picture in pictures:
        assert picture.startswith(b"\x89PNG\r\n\x1a\n")
        width, start = int.from_bytes(picture[16:20], "big"), picture.index(b"IDAT")
        size = int.from_bytes(picture[start - 4 : start], "big")
        pixels = zlib.decompress(picture[start + 4 : start + 4 + size])
        assert len(pixels) == width * (1 + 3 * width)
        assert zlib.crc32(picture[start : start + 4 + size]) == int.from_bytes(
            picture[start + 4 + size : start + 8 + size], "big"
        )


def _subject(world: World, key: Any) -> Any:
    record = world.assessments.get(key)
    assert record is not None
    return subject(world, record)


@pytest.mark.parametrize("write", [report, bundle])
def test_documents_are_the_same_for_the_same_version_and_other_for_another(write) -> None:
    first, second = World(3, 24), World(3, 24)
    key: Any = first.assessments.keys()[0]
    one = write(_subject(first, key))
    report.cache_clear()
    assert write(_subject(second, key)) == one
    second.assessments.set_status(key, "approved")
    assert write(_subject(second, key)) != one


def test_texts_outside_latin_do_not_break_a_report() -> None:
    world = World(3, 24)
    key: Any = world.assessments.keys()[0]
    world.assessments.set_members(key, summary="备注 😕 ciężko")
    assert report(_subject(world, key)).startswith(b"%PDF")


def test_a_document_can_be_missing_though_its_assessment_is_there(start) -> None:
    sandbox, client = start()
    key = sandbox.world.assessments.keys()[0]
    sandbox.world.assessments.withheld.add((key, "report.pdf"))
    answer = client.get(f"/assessments/{key}/report.pdf")
    assert (answer.status_code, answer.json()["code"]) == (404, "DocumentNotFound")
    assert client.get(f"/assessments/{key}/bundle.zip").status_code == 200
    sandbox.world.assessments.withheld.clear()
    assert client.get(f"/assessments/{key}/report.pdf").status_code == 200


def test_byte_ranges_are_served_when_switched_on(start) -> None:
    sandbox, client = start(accept_ranges=True)
    path = f"/assessments/{sandbox.world.assessments.keys()[0]}/report.pdf"
    whole = client.get(path).content
    for header, part in (("bytes=0-3", whole[:4]), ("bytes=100-", whole[100:]), ("bytes=-6", whole[-6:])):
        answer = client.get(path, headers={"Range": header})
        assert (answer.status_code, answer.content) == (206, part)
        assert answer.headers["Content-Range"].endswith(f"/{len(whole)}")
    assert client.get(path, headers={"Range": f"bytes={len(whole)}-"}).status_code == 416


@pytest.mark.parametrize(
    ("etags", "is_heeded"), [("strong", True), ("weak", False), ("none", False), ("unheeded", False)]
)
def test_a_range_of_a_version_that_is_gone_is_answered_with_the_whole_if_etags_are_heeded(start, etags, is_heeded):
    sandbox, client = start(accept_ranges=True, etags=etags)
    key = sandbox.world.assessments.keys()[0]
    path = f"/assessments/{key}/report.pdf"
    told = client.get(path).headers.get("ETag")
    assert (told or "none")[0] == {"weak": "W", "none": "n"}.get(etags, '"')
    asked = {"Range": "bytes=9-", "If-Range": told or '"x"'}
    assert client.get(path, headers=asked).status_code == 206
    sandbox.world.assessments.scribble(key)
    assert client.get(path, headers=asked).status_code == (200 if is_heeded else 206)


def test_byte_ranges_are_ignored_when_switched_off(sandbox: Sandbox, client: httpx.Client) -> None:
    path = f"/assessments/{sandbox.world.assessments.keys()[0]}/report.pdf"
    assert client.get(path, headers={"Range": "bytes=0-3"}).status_code == 200
