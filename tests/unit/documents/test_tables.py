"""Promises of bundle CSVs: every cell comes through as text, in whatever way the file was written."""

import csv
import io
import random
import time
import tracemalloc
import zipfile
from contextlib import suppress

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from propsync.documents import csv_rows as tables
from propsync.documents.csv_rows import CsvTable, csv_tables
from propsync.documents.held import HeldBundle, with_rows
from propsync.documents.zips.bundle import Bounds, Bundle, read_bundle
from propsync.errors import DocumentDamaged


def write(path, contents):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, content in contents.items():
            folder.writestr(name, content)
    return path


def tables_of(path):
    bundle = read_bundle(path, Bounds(ratio=10_000))
    assert bundle.refused is None
    return [(table, [row for lot in lots for row in lot]) for table, lots in csv_tables(path, bundle)]


@pytest.fixture
def read(tmp_path):
    """Reads bytes as the actions.csv of a bundle."""

    def reading(content):
        [(table, rows)] = tables_of(write(tmp_path / "bundle.zip", {"actions.csv": content}))
        return table, rows

    return reading


# --- which members ---------------------------------------------------------------------------------------------------


def test_csvs_are_found_by_their_name_in_any_case_at_the_top_and_in_one_folder(tmp_path):
    named = ["Elements.CSV", "export/ACTIONS.csv", "./controls.csv", "./export/controls.csv"]
    others = ["a/b/actions.csv", "actions.csv.txt", "my actions.csv", "actions", "x/.actions.csv"]
    found = tables_of(write(tmp_path / "bundle.zip", dict.fromkeys(named + others, b"Ref\r\n1\r\n")))
    assert [table.name for table, _ in found] == ["elements", "actions", "controls", "controls"]


@pytest.mark.parametrize(
    "name", ["Fire risk - {}.csv", "a/b/{}.csv", "2026/{}_20260131 (1).csv", "export/assessment{}.CSV"]
)
def test_csvs_of_other_names_are_found_beside_those_of_another_table(tmp_path, name):
    members = {name.format(word): b"Ref\r\n1\r\n" for word in ("Actions", "Controls", "Elements")}
    found = tables_of(write(tmp_path / "bundle.zip", members | {"files/action plan.csv": b"Plan\r\n1\r\n"}))
    assert [(table.name, table.headers) for table, _ in found] == [
        ("actions", ("Ref",)),
        ("controls", ("Ref",)),
        ("elements", ("Ref",)),
    ]


def test_a_csv_of_another_name_is_none_where_one_has_the_usual_name(tmp_path):
    members = dict.fromkeys(["actions.csv", "old actions.csv", "old controls.csv", "old sheet.csv"], b"Ref\r\n1\r\n")
    found = tables_of(write(tmp_path / "bundle.zip", members))
    assert [table.name for table, _ in found] == ["actions", "controls"]


def test_a_member_that_is_not_read_becomes_no_table(tmp_path):
    assert tables_of(write(tmp_path / "bundle.zip", {"../actions.csv": b"Ref\r\n1\r\n"})) == []


def test_a_bundle_that_is_refused_has_no_tables(tmp_path):
    path = write(tmp_path / "bundle.zip", {"actions.csv": b"Ref\r\n1\r\n"})
    assert list(csv_tables(path, Bundle((), "a member is encrypted"))) == []


def test_the_rows_of_each_table_may_be_taken_after_all_tables_are_known(tmp_path):
    path = write(tmp_path / "bundle.zip", {"actions.csv": b"Ref\n1\n", "controls.csv": b"Ref\n2\n"})
    actions, controls = csv_tables(path, read_bundle(path, Bounds()))
    assert list(controls[1]) == [[("2",)]]
    assert list(actions[1]) == [[("1",)]]


# --- columns ---------------------------------------------------------------------------------------------------------


def test_columns_are_words_in_ascii_and_none_is_there_twice(read):
    table, _ = read("Action ID,Due date,due-date,,Wysokość,2nd,,Raised_at\n".encode())
    assert table == CsvTable(
        "actions",
        ("action_id", "due_date", "due_date_2", "column_4", "wysokosc", "_2nd", "column_7", "raised_at"),
        ("Action ID", "Due date", "due-date", "", "Wysokość", "2nd", "", "Raised_at"),
    )


def test_columns_do_not_take_the_names_of_those_that_a_table_has_anyway(read):
    table, _ = read(b"Assessment ID,document_sha256,Row number,csv_row_number\n")
    assert table.columns == ("csv_assessment_id", "csv_document_sha256", "csv_row_number", "csv_row_number_2")


@pytest.mark.parametrize("content", [b"", b"\r\n\r\n", b"\xef\xbb\xbf"], ids=["nothing", "empty lines", "a mark"])
def test_an_empty_file_is_a_table_without_columns_and_rows(read, content):
    assert read(content) == (CsvTable("actions", (), ()), [])


@pytest.mark.parametrize("content", [b"Ref,Due", b"Ref,Due\r\n", b"\r\nRef,Due\r\n\r\n\r\n"])
def test_a_header_alone_has_no_rows(read, content):
    assert read(content) == (CsvTable("actions", ("ref", "due"), ("Ref", "Due")), [])


# --- rows ------------------------------------------------------------------------------------------------------------


def test_quotes_delimiters_and_line_ends_stay_in_their_cells(read):
    _, rows = read(b'Ref,Text\r\n1,"a, ""b"";\r\nc\nd\te"\r\n2," e "\r\n')
    assert rows == [("1", 'a, "b";\r\nc\nd\te'), ("2", " e ")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=ascii)
def test_rows_end_as_on_any_system(read, end):
    assert read(end.join((b"Ref,Due", b"1,a", b"", b"2,b")))[1] == [("1", "a"), ("2", "b")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=ascii)
def test_the_header_tells_the_delimiter(read, delimiter):
    content = f'Ref{delimiter}"Place, room"{delimiter}Text\n1{delimiter}"2{delimiter}b"{delimiter}x,y;z\n'
    rows = [("1", f"2{delimiter}b", "x,y;z")] if delimiter != "," else [("1", "2,b", "x,y;z")]
    table, read_rows = read(content.encode())
    assert (table.headers, read_rows) == (("Ref", "Place, room", "Text"), rows)


def test_a_comma_wins_over_other_delimiters(read):
    assert read(b"Ref;No,Text\tlong\n")[0].headers == ("Ref;No", "Text\tlong")


@pytest.mark.parametrize(
    ("header", "headers"),
    [
        ("Ref;Issue, hazard;Due;Cost", ("Ref", "Issue, hazard", "Due", "Cost")),
        ("Ref\tRisk (low, medium, high)", ("Ref", "Risk (low, medium, high)")),
        ("Ref,Likelihood (1;2;3)", ("Ref", "Likelihood (1;2;3)")),
        ("Ref,Hazard [1;2;3]", ("Ref", "Hazard [1;2;3]")),
    ],
)
def test_a_delimiter_within_one_header_is_not_that_of_the_table(read, header, headers):
    assert read(f"{header}\n".encode())[0].headers == headers


def test_an_empty_cell_is_empty_and_a_lacking_one_is_missing(read):
    assert read(b'Ref,Due,Text\n1,,""\n2\n,,\n')[1] == [("1", "", ""), ("2", None, None), ("", "", "")]


def test_surplus_cells_stay_in_the_last_column(read):
    _, rows = read(b"Ref;Text\n1;a;b;;c\n2;a;;\n3;;x\n")
    assert rows == [("1", "a;b;;c"), ("2", "a"), ("3", ";x")]


def test_columns_beyond_the_ten_thousandth_are_surplus(read):
    content = ",".join(f"c{number}" for number in range(10_200)) + "\n" + ",".join(map(str, range(10_200))) + "\n"
    table, [row] = read(content.encode())
    assert len(table.columns) == len(table.headers) == len(row) == 10_000
    assert row[-1] == ",".join(map(str, range(9_999, 10_200)))


def test_a_name_that_comes_ten_thousand_times_is_numbered_soon(read):
    began = time.process_time()
    table, _ = read(b"a,a_2," + b"a," * 9_997 + b"b\n")
    assert time.process_time() - began < 3
    assert table.columns[:4] == ("a", "a_2", "a_3", "a_4")
    assert (len(set(table.columns)), table.columns[-2:]) == (10_000, ("a_9999", "b"))


def test_rows_come_in_lots(tmp_path):
    content = b"Ref\n" + b"".join(b"%d\n" % number for number in range(4_500))
    path = write(tmp_path / "bundle.zip", {"actions.csv": content})
    [(_, found)] = csv_tables(path, read_bundle(path, Bounds()))
    lots = list(found)
    assert [len(lot) for lot in lots] == [2_000, 2_000, 500]
    assert [row for lot in lots for row in lot] == [(str(number),) for number in range(4_500)]


# --- encodings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_utf_8_is_read_with_and_without_its_mark(read, encoding):
    table, rows = read("Réf,Text\n1,ŵ € 門\n".encode(encoding))
    assert (table.headers, rows) == (("Réf", "Text"), [("1", "ŵ € 門")])


def test_what_is_not_utf_8_is_windows_1252(read):
    table, rows = read("Réf,Text\n1,naïve – €5 “x”\n".encode("cp1252"))
    assert (table.headers, rows) == (("Réf", "Text"), [("1", "naïve – €5 “x”")])


WIDE = {
    "marked": ("utf-16", "Réf,Text\n1,ŵ € 門 \U0001f6aa\n"),
    "big-endian, marked": ("utf-16-be", "\ufeffRéf,Text\n1,ŵ € 門 \U0001f6aa\n"),
    "little-endian, unmarked": ("utf-16-le", "Réf,Text\n1,ŵ € 門 \U0001f6aa\n"),
    "big-endian, unmarked": ("utf-16-be", "Réf,Text\n1,ŵ € 門 \U0001f6aa\n"),
    "UTF-32, marked": ("utf-32", "Réf,Text\n1,ŵ € 門 \U0001f6aa\n"),
    "UTF-32, unmarked": ("utf-32-be", "Réf,Text\n1,ŵ € 門 \U0001f6aa\n"),
    "with tabs, as Excel writes it": ("utf-16", "Réf\tText\r\n1\tŵ € 門 \U0001f6aa\r\n"),
}


@pytest.mark.parametrize(("encoding", "content"), WIDE.values(), ids=WIDE)
@pytest.mark.parametrize("rows", [1, 3_000])
def test_utf_16_is_read_in_either_order_with_and_without_its_mark(read, encoding, content, rows):
    lines = content.splitlines(keepends=True)
    table, found = read((lines[0] + lines[1] * rows).encode(encoding))
    assert (table.columns, table.headers) == (("ref", "text"), ("Réf", "Text"))
    assert found == [("1", "ŵ € 門 \U0001f6aa")] * rows


def test_utf_16_that_is_cut_in_the_middle_of_a_letter_is_read_to_there(read):
    assert read("Ref,Text\n1,abc\n2,def".encode("utf-16") + b"g")[1][0] == ("1", "abc")


@pytest.mark.parametrize("cell", ["門" * 40, "ŵ" * 40], ids=ascii)
def test_a_header_in_ascii_shows_unmarked_utf_16_also_where_cells_are_in_other_letters(read, cell):
    _, rows = read(f"Reference,Text\n1,{cell}\n".encode("utf-16-le"))
    assert rows == [("1", cell)]


def test_a_utf_8_text_with_letters_of_many_bytes_is_not_taken_for_utf_16(read):
    assert read("门门,ab\n一二,cd\n".encode())[1] == [("一二", "cd")]


NO_TEXT = {
    "a PDF": b"%PDF-1.7\n" + b"1 0 obj\n<< >>\nendobj\n" * 100,
    "a web page": b"<!DOCTYPE html><html><body>Sign in</body></html>",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9,
    "an old workbook": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4_000),
    "random bytes": random.Random(5).randbytes(5_000),
    "halves of letters after a mark of UTF-16": b"\xff\xfe" + b"\x00\xd8" * 1_000,
    "zeros": bytes(5_000),
    "a header, then bytes": b"Ref,Due\n" + random.Random(6).randbytes(50_000),
}


@pytest.mark.parametrize("content", NO_TEXT.values(), ids=NO_TEXT)
def test_a_csv_that_is_no_text_is_refused_with_the_reason_and_the_others_are_read(tmp_path, content):
    path = write(tmp_path / "bundle.zip", {"actions.csv": content, "controls.csv": b"Ref\n1\n", "x.bin": content})
    bundle = read_bundle(path, Bounds(ratio=10_000))
    refused, *others = bundle.members
    assert refused.refused.startswith(("it is not text", "it is not a table but "))
    assert (refused.sha256, refused.size_bytes) == (None, len(content))
    assert all(member.sha256 and member.refused is None for member in others)
    assert [table.name for table, _ in csv_tables(path, bundle)] == ["controls"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
@settings(max_examples=20)
@given(cells=st.lists(st.text(st.sampled_from("abcdé£, ;\t\"'\n01"), max_size=30), min_size=2, max_size=40))
def test_a_table_is_read_alike_in_whatever_encoding_it_is_written(tmp_path_factory, encoding, cells):
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(
        [["Reference", "Text"], *zip(cells, reversed(cells), strict=True)]
    )
    content = text.getvalue().encode(encoding)
    assume(encoding != "cp1252" or _is_no_utf_8(content) or content.isascii())
    path = tmp_path_factory.getbasetemp() / "encoded.zip"
    [(_, found)] = tables_of(write(path, {"actions.csv": content}))
    assert found == list(zip(cells, reversed(cells), strict=True))


def _is_no_utf_8(content: bytes) -> bool:
    """Windows-1252 may be valid UTF-8 by chance: no reader can know then."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return True
    return False


def test_the_last_byte_of_a_long_file_can_tell_the_encoding(read):
    cell = "é" * 1_500_000
    assert read(f"Ref\n{cell}\n".encode())[1] == [(cell,)]
    # a character that is cut off makes it Windows-1252 as a whole
    assert read(f"Ref\n{cell}".encode()[:-1])[1] == [(cell.encode()[:-1].decode("cp1252"),)]


def test_bytes_that_windows_1252_leaves_undefined_are_no_error(read):
    assert read(b"Ref\n\x81\x8d\x8f\x90\x9d\xe9\n")[1] == [("\ufffd" * 5 + "é",)]


# --- odd and hostile ones --------------------------------------------------------------------------------------------


def test_nul_bytes_are_characters_like_others(read):
    assert read(b"Ref,T\0\n1,a\0b\n\0,\n") == (
        CsvTable("actions", ("ref", "t"), ("Ref", "T\0")),
        [("1", "a\0b"), ("\0", "")],
    )


@pytest.mark.parametrize("cell", ["x" * 5_000_000, "x\n" * 2_000_000], ids=["one line", "many lines"])
def test_a_very_long_cell_is_read(read, cell):
    assert read(f'Ref,Text\n1,"{cell}"\n2,b\n'.encode())[1] == [("1", cell), ("2", "b")]


TOO_LONG = {
    "a line": b"x" * 10_000_001,
    "a cell that never closes": b'"' + b"x\n" * 5_000_001,
    "many cells of many lines": b'"x\n",' * 2_000_001,
}


@pytest.mark.release
@pytest.mark.parametrize("row", TOO_LONG.values(), ids=TOO_LONG)
def test_a_row_too_long_to_be_held_is_told_and_not_held(tmp_path, row):
    path = write(tmp_path / "bundle.zip", {"x/actions.csv": b"Ref\n1\n" + row})
    bundle = read_bundle(path, Bounds(ratio=10_000))
    [(table, lots)] = csv_tables(path, bundle)
    assert table.headers == ("Ref",)
    with pytest.raises(DocumentDamaged) as raised:
        list(lots)
    assert raised.value.what == "a row of x/actions.csv is longer than 10,000,000 characters"


def test_a_header_too_long_to_be_held_costs_no_other_csv(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_LONGEST_ROW", 1_000)
    path = write(tmp_path / "bundle.zip", {"actions.csv": b'"' + b"x\n" * 1_000, "controls.csv": b"Ref\n1\n"})
    torn, whole = csv_tables(path, read_bundle(path, Bounds(ratio=10_000)))
    assert (torn[0].headers, list(whole[1])) == ((), [[("1",)]])
    with pytest.raises(DocumentDamaged):
        list(torn[1])


def test_the_rows_before_a_row_that_is_too_long_come_first(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_LONGEST_ROW", 1_000)
    path = write(tmp_path / "bundle.zip", {"actions.csv": b"Ref\n1\n2\n" + b"x" * 1_001})
    [(_, lots)] = csv_tables(path, read_bundle(path, Bounds(ratio=10_000)))
    assert next(lots) == [("1",), ("2",)]
    with pytest.raises(DocumentDamaged):
        next(lots)


OPEN = {
    "a cell": (b'1,"a\n2,b\n', ("1", "a\n2,b\n")),
    "the last sign": (b'1,a\n2,"', ("2", "")),
    "an escaped quote": (b'1,"a""\n', ("1", 'a"\n')),
}


@pytest.mark.parametrize(("rows", "last"), OPEN.values(), ids=OPEN)
def test_a_quote_that_never_closes_is_told_after_all_rows(tmp_path, rows, last):
    path = write(tmp_path / "bundle.zip", {"actions.csv": b"Ref,Text\n" + rows})
    [(_, lots)] = csv_tables(path, read_bundle(path, Bounds()))
    assert next(lots)[-1] == last
    with pytest.raises(DocumentDamaged, match="never closes"):
        next(lots)


@pytest.mark.parametrize("said", ["sep=;\r\n", '"sep=;"\n', "\r\nSEP=;\r\n\r\n"])
def test_a_first_line_that_names_the_delimiter_is_no_header(read, said):
    table, rows = read(f"{said}Ref;Title, if any\r\n1;a, b\r\n".encode())
    assert (table.headers, rows) == (("Ref", "Title, if any"), [("1", "a, b")])


def test_bars_separate_the_cells_of_a_header_without_commas(read):
    assert read(b"Ref|Title\n1|a, b; c\n")[1] == [("1", "a, b; c")]


def test_held_rows_are_told_as_the_csv_itself_is(tmp_path):
    path = write(tmp_path / "bundle.zip", {"actions.csv": b'Ref\n1\n"2', "controls.csv": b"Ref\n1\n"})
    held = with_rows(path, read_bundle(path, Bounds()))
    assert isinstance(held, HeldBundle)
    torn, whole = held.tables
    assert (next(torn[1]), list(whole[1])) == ([("1",), ("2",)], [[("1",)]])
    with pytest.raises(DocumentDamaged, match="never closes"):
        next(torn[1])


@pytest.mark.parametrize("cell", ['5" pipe', '"a\nb" "c', 'x"', '"a ""b"""', '""'])
def test_a_quote_inside_the_last_cell_is_no_open_one(read, cell):
    assert len(read(f"Ref,Text\n1,{cell}".encode())[1]) == 1


def test_a_million_empty_lines_are_no_long_row(read, monkeypatch):
    monkeypatch.setattr(tables, "_LONGEST_ROW", 1_000)
    assert read(b"\n" * 2_000 + b"Ref\n" + b"\n" * 2_000 + b"1\n" * 2_000)[1] == [("1",)] * 2_000


def test_lots_of_long_rows_are_smaller(tmp_path):
    path = write(tmp_path / "bundle.zip", {"actions.csv": b"Ref\n" + (b"x" * 3_000_000 + b"\n") * 5})
    [(_, lots)] = csv_tables(path, read_bundle(path, Bounds(ratio=10_000)))
    assert [len(lot) for lot in lots] == [2, 2, 1]


@pytest.mark.release
def test_a_large_csv_does_not_show_in_memory(tmp_path):
    path = tmp_path / "bundle.zip"
    line = b"A-1,a door that does not close,2026-03-01\r\n"
    with zipfile.ZipFile(path, "w") as folder, folder.open("actions.csv", "w") as member:
        member.write(b"Ref,Text,Due\r\n")
        for _ in range(200):
            member.write(line * 1_000)
    bundle = read_bundle(path, Bounds())
    tracemalloc.start()
    try:
        [(_, lots)] = csv_tables(path, bundle)
        assert sum(len(lot) for lot in lots) == 200_000
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


cells = st.text(st.sampled_from("aé€ \0,;\t\"'\n\r\ufeff"), max_size=6)


@given(rows=st.lists(st.lists(cells, min_size=2, max_size=2), max_size=5))
def test_what_is_written_as_csv_is_read_as_it_was(tmp_path_factory, rows):
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["Ref", "Text"], *rows])
    path = tmp_path_factory.getbasetemp() / "csv.zip"
    [(_, read)] = tables_of(write(path, {"actions.csv": text.getvalue().encode()}))
    assert read == [tuple(row) for row in rows]


@given(
    content=st.binary(max_size=200).map(lambda content: b"," + content)
    | st.lists(st.sampled_from(b'a,;\t"\n\r\0\xe9\xc3'), max_size=60).map(bytes)
)
def test_whatever_the_bytes_rows_are_as_wide_as_the_header(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any_csv.zip"
    write(path, {"actions.csv": content})
    [(table, lots)] = csv_tables(path, read_bundle(path, Bounds()))
    rows = []
    with suppress(DocumentDamaged):  # a quote may never close
        for lot in lots:
            rows += lot
    assert len(set(table.columns)) == len(table.columns) == len(table.headers)
    assert all(len(row) == len(table.columns) for row in rows)
