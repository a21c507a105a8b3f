"""Texts of people's files and of servers are judged in a time that grows with their length, not with its square."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterator

import pytest
from obstore.exceptions import GenericError

from propsync.errors import StorageAway
from propsync.merge.reference.error_cells import error_cells
from propsync.merge.reference.requirements import Condition, ConditionUnreadable
from propsync.merge.reference.reshown_cells import reshown_cells
from propsync.merge.reference.spreadsheet import sheets_of
from propsync.merge.reference.text_file import ListUnreadable
from propsync.push.files.damage import check_text
from propsync.records import readable
from propsync.storage.answers import answered


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    began = time.process_time()
    yield
    assert time.process_time() - began < 2


@pytest.mark.parametrize("blanks", ["region" + " " * 40_000, "region = North" + " " * 40_000 + "or South"])
def test_a_condition_with_many_blanks_is_refused(blanks: str) -> None:
    with pytest.raises(ConditionUnreadable):
        Condition.of(blanks)


def test_a_cell_of_many_digits_is_a_text() -> None:
    digits = "1" * 20_000 + " flats"
    check_text(digits, digits, "flats")


def test_an_error_of_a_server_that_repeats_itself_is_one_line() -> None:
    with pytest.raises(StorageAway) as caught, answered("s3://bucket", "key"):
        raise GenericError("status code: 500: " + "<Code>" * 20_000)
    assert len(str(caught.value)) < 500


_PARTS = {
    "xl/workbook.xml": b'<sheet r:id="1"/>' + b"<sheet " * 40_000,
    "xl/_rels/workbook.xml.rels": b'<Relationship Id="1" Target="worksheets/s.xml"/>' + b"<Relationship " * 40_000,
    "xl/styles.xml": b"<numFmt " * 40_000
    + b'<cellXfs><xf numFmtId="9"/></cellXfs>'
    + b"<xf " * 40_000
    + b"<cellXfs" * 9_000,
}
_ERROR = b'<c r="A1" t="e"><f>x</f><v>#REF!</v></c>'


@pytest.mark.parametrize("repeated", [b"<c ", b'<c s="0">', b"<v ", b"<c r ", b"<row r"])
def test_a_sheet_whose_tags_do_not_end_is_read_at_once(repeated: bytes) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**_PARTS, "xl/worksheets/s.xml": _ERROR + repeated * 40_000}.items():
            archive.writestr(name, content)
    assert error_cells(file.getvalue(), 0) == {(1, 1): "#REF!"}
    assert reshown_cells(file.getvalue(), 0) == {}
    with pytest.raises(ListUnreadable):
        list(sheets_of(file.getvalue()))


def test_a_payload_whose_text_does_not_end_is_copied_at_once() -> None:
    payload = '["' + '\\"' * 40_000
    assert readable(payload) == payload
