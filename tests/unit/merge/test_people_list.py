"""People's own lists as people save them: files that propsync reads, and mistakes that it names by line."""

import codecs
import io
import os
import threading
import time
from contextlib import contextmanager

import pytest
import xlsxwriter
from unit.merge.workbook import day, error, formula, number, table, text, workbook

from propsync.merge import KEYS, read_list
from propsync.merge.reference import list_file as people_list

ROWS = [["p1", "Café Zürich"], ["p2", "O’Neill £5"]]
NAMED = "property_id,name\np1,Café Zürich\np2,O’Neill £5\n"


@pytest.fixture
def saved(tmp_path):
    def save(content, name="properties.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (1_000_000_000, 1_000_000_000))  # long ago: nobody is saving it
        return path

    return save


@pytest.fixture
def read(saved):
    return lambda content, table="properties": read_list(table, saved(content), KEYS.get(table))


class Book:
    """A spreadsheet that xlsxwriter makes."""

    def __init__(self):
        self._bytes = io.BytesIO()
        self.file = xlsxwriter.Workbook(self._bytes)

    @property
    def content(self):
        return self._bytes.getvalue()


@pytest.fixture
def made():
    @contextmanager
    def making():
        book = Book()
        yield book, book.file.add_worksheet()
        book.file.close()

    return making


def told(found):
    return [(one.line, one.key, one.issue) for one in (*found.mistakes, *found.suspects)]


# -- what is read


def test_the_sign_that_ends_a_file_of_dos_is_no_property(read):
    assert read("property_id,name\np1,A\n\x1a").rows == [["p1", "A"]]


@pytest.mark.parametrize("cell", ['="0012"', '"=""0012"""', '=" 0012 "'])
def test_a_text_that_a_program_wrote_for_excel_is_that_text(read, cell):
    """The id was ="0012", which no record has, and each property lacked its name."""
    found = read(f"property_id,uprn\n{cell},{cell}\n")
    assert (found.rows, told(found)) == ([["0012", "0012"]], [])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("windows-1252", b""),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_way_in_which_people_save_a_list_gives_the_same_rows(read, separator, encoding, mark, end):
    content = NAMED.replace(",", separator).replace("\n", end)
    found = read(mark + content.encode(encoding))
    assert (found.columns, found.rows, told(found)) == (["property_id", "name"], ROWS, [])


@pytest.mark.parametrize(
    "heading", ["Property ID", " property_id ", "PropertyId", '"property id"', "PROPERTY_ID\u00a0"]
)
def test_the_key_is_found_however_its_name_is_spelt(read, heading):
    found = read(f"{heading},Name of it\np1,One\n")
    assert found.columns == ["property_id", "name_of_it"]
    assert told(found) == []


def test_blanks_around_ids_are_cut_and_blank_lines_passed_over(read):
    found = read("\n  \nproperty_id,name\n\n  p1\t, One \n,\n\u00a0p2\u200b,\n   \n")
    assert found.rows == [["p1", "One"], ["p2", None]]
    assert told(found) == []


def test_quotes_keep_separators_and_lines_and_lines_are_counted_through_them(read):
    found = read('property_id,name\np1,"One\nTwo, ""three"""\np2, "a, b"\np1,x\n')
    assert found.rows[:2] == [["p1", 'One\nTwo, "three"'], ["p2", "a, b"]]
    assert told(found) == [(5, "p1", "property_id p1 appears more than once, first in line 2")]


def test_short_lines_are_filled_and_columns_without_name_or_cells_left_out(read):
    found = read("property_id,name,,\np1\np2,Two,,\n")
    assert (found.columns, found.rows) == (["property_id", "name"], [["p1", None], ["p2", "Two"]])
    found = read("property_id,note,note,\np1,a,b,c\n")
    assert (found.columns, found.rows) == (["property_id", "note", "note_2", "column"], [["p1", "a", "b", "c"]])
    assert told(found) == []


def test_the_line_with_which_excel_says_its_separator_is_no_header(read):
    found = read("sep=;\r\nproperty_id;a,b\r\np1;x\r\np1;y\r\n")
    assert found.columns == ["property_id", "a_b"]
    assert told(found) == [(4, "p1", "property_id p1 appears more than once, first in line 3")]


def test_a_list_that_is_not_keyed_is_taken_as_it_is(read):
    found = read("assessment_type_id,every_months\nt1,12\nt1,6\n", "requirements")
    assert (found.rows, told(found)) == ([["t1", "12"], ["t1", "6"]], [])


@pytest.mark.slow
def test_a_hundred_thousand_rows_take_seconds(read):
    began = time.monotonic()
    found = read("property_id,name\n" + "".join(f"p{count},Name {count}\n" for count in range(100_000)))
    assert (len(found.rows), told(found)) == (100_000, [])
    assert time.monotonic() - began < 20


# -- spreadsheets


def test_a_spreadsheet_is_read_by_its_content_with_the_numbers_of_its_rows(saved):
    cells = {"B3": text("Property ID"), "C3": text("height"), "D3": text("built")}
    cells |= {"B5": number("1200000000000"), "C5": formula("2*5.75", "11.5"), "D5": day(45000)}
    cells |= {"B6": text(" p2 "), "C6": error("#N/A"), "B7": number("1200000000000")}
    found = read_list("properties", saved(workbook(cells), "anything.csv"), "property_id")
    assert found.columns == ["column", "property_id", "height", "built"]
    assert found.rows[:2] == [[None, "1200000000000", "11.5", "2023-03-15"], [None, "p2", None, None]]
    assert told(found) == [(7, "1200000000000", "property_id 1200000000000 appears more than once, first in line 5")]
    assert [(one.line, one.issue) for one in found.notes] == [
        (6, "height is #N/A, which counts as empty: correct the formula")
    ]


def test_a_number_has_the_zeros_and_words_in_front_that_people_see(read, made):
    with made() as (book, sheet):
        sheet.write_row("A1", ["property_id", "uprn", "address", "height_m", "let", "floor", "room"])
        forms = ("0000", "000000000000", '"Flat "0', '0.0" m2"', "0%", '[<100]"Flat "0;0', "0" * 300)
        for place, (cell, form) in enumerate(zip((12, 4510061, 7, 17.5, 0.9, 200, 3), forms, strict=True)):
            sheet.write_number(1, place, cell, book.file.add_format({"num_format": form}))
    assert read(book.content).rows == [["0012", "000004510061", "Flat 7", "17.5", "0.9", "200", "3"]]


def test_an_error_counts_as_empty_except_in_a_list_of_rules(saved, read):
    listed = "property_id,name,region\np1,#N/A,#REF!\n#N/A,Two,South\n"
    found = read(listed)
    assert found.rows == [["p1", None, None], [None, "Two", "South"]]
    assert told(found) == [(3, None, "it has no property_id")]
    assert [one.line for one in found.notes] == [2, 2, 3]
    cells = {"A1": text("assessment_type_id"), "B1": text("property_id"), "A2": text("t1"), "B2": error("#N/A")}
    rules = read_list("requirements", saved(workbook(cells)), column="assessment_type_id")
    assert (rules.rows, rules.notes) == ([["t1", "#N/A"]], []), "an empty cell would mean every property"


def test_the_sheet_that_has_the_key_is_the_list(read):
    notes, listed = table(("Notes",), ("as of May",)), table(("property_id", "name"), ("p1", "One"))
    assert read(workbook(notes, listed)).rows == [["p1", "One"]]
    assert told(read(workbook(notes)))[0] == (1, None, "it has no column property_id, only Notes")
    assert told(read(workbook({})))[0] == (None, None, "it is empty")


def test_a_merged_cell_counts_in_each_of_its_rows(read, made):
    with made() as (book, sheet):
        sheet.merge_range("A1:A2", "property_id")  # a header over two lines
        sheet.merge_range("B1:B2", "region")
        sheet.write_column("A3", ["p1", "p2", "p3"])
        sheet.merge_range("B3:B4", "North")
        sheet.write("B5", "South")
    assert read(book.content).rows == [["p1", "North"], ["p2", "North"], ["p3", "South"]]


def test_a_blank_row_below_a_merged_cell_is_no_row(read, made):
    with made() as (book, sheet):
        sheet.write("A1", " ")
        sheet.merge_range("A2:A3", "property_id")
        sheet.merge_range("B2:B3", "region")
        sheet.merge_range("A4:A5", "p1")  # one property over two lines
        sheet.merge_range("B4:B8", "North")
        sheet.write("A6", "p2")
        sheet.write("A8", "p3")
    found = read(book.content)
    assert (found.rows, told(found)) == ([["p1", "North"], ["p2", "North"], ["p3", "North"]], [])


def test_a_hidden_sheet_is_no_list_and_a_hidden_row_is_one_of_its_rows(read, made):
    with made() as (book, old):
        old.write_column("A1", ["property_id", "gone"])
        old.hide()
        sheet = book.file.add_worksheet()
        sheet.write_column("A1", ["property_id", "p1", "p2"])
        sheet.set_row(2, None, None, {"hidden": True})
        sheet.activate()
        sheet.set_first_sheet()
    assert read(book.content).rows == [["p1"], ["p2"]]


def test_what_excel_made_of_an_id_is_told(read):
    cells = table(("property_id", "name"), ("", "a"), ("", "b"), ("", "c"))
    cells |= {"A2": day(45000), "A3": number("123456789012345678"), "A4": formula("A9", None)}
    assert told(read(workbook(cells))) == [
        (4, None, "it has a formula without a result; open the file in a spreadsheet program and save it"),
        (2, "2023-03-15", "Excel has made property_id a date, 2023-03-15; format its column as text"),
        (
            3,
            "1.2345678901234568e+17",
            "Excel has shortened property_id to 1.2345678901234568e+17; format its column as text",
        ),
    ]
    for key in ("1.2E+12", "1,2E+12", "01/02/2024", "2-Mar", "Mar-24", "2024-02-01"):
        ((line, odd, issue),) = told(read(f"property_id;name\n{key};x\n"))
        assert (line, odd) == (2, key)
        assert issue.startswith("Excel has ")
    assert told(read("property_id\n3E5\np-1\n12-34\nBLK-2024-01\n")) == []
    assert told(read("property_id\n12345e67\n8870074777770283075e83\n4e12\n")) == []  # hexadecimal digits


@pytest.mark.parametrize("key", ["Total", "TOTALS", "Grand total", "sub-total", "property_id", "Property ID"])
def test_a_total_or_a_second_header_is_no_record_unless_the_api_has_that_id(read, key):
    """A total would count its homes twice, as those of a property that lacks every required assessment."""
    found = read(f"property_id,homes\np1,12\n{key},12\n")
    said = f"its property_id is {key}: remove totals and headers from among the rows"
    assert (told(found), found.mistakes) == ([(3, key, said)], [])


def test_an_id_may_begin_like_a_total(read):
    assert told(read("property_id\nTotal House\ntotal-1\nsubtotality\n")) == []


# -- what is wrong


@pytest.mark.parametrize(
    ("content", "line", "issue"),
    [
        (b"", None, "it is empty"),
        (b"\n , ,\n", None, "it is empty"),
        (codecs.BOM_UTF8, None, "it is empty"),
        (b"property_id,name\n", 1, "it has a header and no row"),
        (b"id,name\np1,x\n", 1, "it has no column property_id, only id, name"),
        (b"property_id,Property ID\np1,p1\n", 1, "2 columns are called property_id"),
        (b"property_id,name\np1,x\n ,y\n", 3, "it has no property_id"),
        (b"property_id,name\np1,x,y\n", 2, "it has 3 cells, but the header has 2"),
        (b'property_id,name\np1,"x\np2,y\n', 2, "the quotes or separators do not match (unexpected end of data)"),
        (b"property_id,name\np1,a\0b\n", 2, "it has a NUL byte; save it as CSV UTF-8"),
        (b"p\0r\0o\0p\0", 1, "it has a NUL byte; save it as CSV UTF-8"),
        ("property_id,name\np1,Café\n".encode() + b"p2,Z\xfcrich\n", 3, "a character is not UTF-8, though others are"),
        (b"property_id,name\np1,\x81\n", 2, "a character is not windows-1252; save it as CSV UTF-8"),
        (codecs.BOM_UTF16_LE + b"p\0r", 1, "a character is not utf-16-le; save it as CSV UTF-8"),
    ],
)
def test_a_mistake_is_told_with_its_line(read, content, line, issue):
    assert told(read(content)) == [(line, None, issue)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK\x03\x04broken", "damaged spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "an .xls file, or protected by a password"),
        (b"%PDF-1.7\nproperty_id\n", "it is a PDF; save the spreadsheet as .xlsx or CSV UTF-8"),
        (b"\x89PNG\r\n\x1a\n", "it is a picture; save"),
    ],
)
def test_another_kind_of_file_is_told(read, content, said):
    ((line, _, issue),) = told(read(content))
    assert line is None
    assert said in issue


def test_a_cell_far_away_from_the_list_does_not_take_all_memory(read):
    cells = table(("property_id",), ("p1",)) | {"XFD1048576": text(" ")}
    assert told(read(workbook(cells)))[0][2].startswith("its cells reach as far as XFD1048576")
    assert read(workbook(table(("property_id",), ("p1",)) | {"B70000": text(" ")})).rows == [["p1"]]


@pytest.mark.parametrize("length", [30, 300, 900])
def test_a_spreadsheet_that_was_cut_short_is_told(read, length):
    assert told(read(workbook(table(("property_id",), ("p1",)))[:length]))


def test_a_name_that_no_table_can_have_is_told(saved):
    path = saved("a\n1\n")
    assert told(read_list("assets", path))[0][2].startswith("propsync has a table of that name itself")
    assert told(read_list("My list", path))[0][2] == "'My list' cannot be the name of a table; write my_list"
    assert told(read_list("", path))[0][2] == "'' cannot be the name of a table; write properties"


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    assert told(read_list("users", tmp_path / "none.csv"))[0][2] == "there is no such file"
    assert told(read_list("users", tmp_path))[0][2] == "it is not a file"
    assert told(read_list("users", tmp_path / "a\0b"))[0][2] == "its path holds a character that a path cannot hold"
    assert told(read_list("users", tmp_path / ("x" * 300)))[0][2] == "it cannot be read: File name too long"
    os.mkfifo(tmp_path / "fifo")
    assert told(read_list("users", tmp_path / "fifo"))[0][2] == "it is not a file"


def test_a_file_too_large_is_told(saved, monkeypatch):
    monkeypatch.setattr(people_list, "_MOST_BYTES", 10)
    assert told(read_list("properties", saved(NAMED)))[0][2] == "it is larger than 10 bytes"


def test_a_file_that_is_being_saved_is_waited_for_and_never_taken_half(saved):
    """A writer appends half a row every few milliseconds for a while."""
    path, rows = saved("property_id,name\n"), 300

    def write():
        with path.open("ab", buffering=0) as file:
            for count in range(rows):
                file.write(b"p%d,Na" % count)
                time.sleep(0.005)
                file.write(b"me\n")

    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(0.1)
    during = [read_list("properties", path) for _ in range(2)]
    writer.join()
    assert all(told(found) or len(found.rows) == rows for found in during)
    assert len(read_list("properties", path).rows) == rows


def test_a_column_that_is_read_may_stand_there_once(read):
    assert told(read("property_id,region,Region\np1,North,Ash House\n")) == [(1, None, "2 columns are called region")]
    two = "assessment_type_id,condition,Condition\nt,height_m >= 11,region = North\n"
    assert told(read(two, "requirements")) == [(1, None, "2 columns are called condition")]


@pytest.mark.parametrize(
    ("named", "meant"),
    [("property", "properties"), ("propertys", "properties"), ("user", "users"), ("requirement", "requirements")],
)
def test_a_list_with_nearly_the_name_of_one_that_marts_read_is_a_mistake(read, named, meant):
    """A table called property would leave every name in the marts empty, in silence."""
    (mistake,) = read(NAMED, named).mistakes
    assert mistake.issue == f"marts read a list called {meant}, not {named}; call it {meant} under [reference]"


@pytest.mark.parametrize("named", ["properties", "contractors", "property_owners", "user_groups", "requirements"])
def test_a_list_may_have_any_other_name(read, named):
    assert read(NAMED, named).mistakes == []


def test_a_list_of_the_api_may_have_nearly_that_name(saved):
    """Its key says that it is a further list, whose columns it extends."""
    assert read_list("property", saved(NAMED), "property_id").mistakes == []
