"""The CSVs of a bundle as rows, straight from the ZIP.

Cells stay text as in the CSV; an empty one is ''. None fills up a row that is shorter than the header. A longer row
keeps its surplus in the last column, joined by the delimiter; empty cells at its end do not count.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

from propsync.documents.csv_members import tables_of
from propsync.documents.encodings import encoding_of
from propsync.documents.zips.bundle import Bundle, member_pieces, open_again
from propsync.errors import DocumentDamaged
from propsync.warehouse import snake_case

_OURS = frozenset(
    ("assessment_id", "document_sha256", "row_number", "further")
)  # columns that these tables always have
_ROWS = 2_000  # most rows of a batch
_BATCH = 4_000_000  # characters and cells after which a batch ends too
_LONGEST_ROW = 10_000_000  # characters; a quote that never closes would turn the rest of the file into one cell
_MOST_COLUMNS = 10_000  # any further ones are surplus
_SMALL = 1_000_000  # bytes up to which propsync unpacks a CSV once, and not at each reading
_END = "\0"  # a line after the last: it becomes a row of its own, unless a quote is still open
_SAID = re.compile(r'"?sep=([,;\t|])"?[\r\n]*', re.IGNORECASE)  # Excel's own first line, which is no header
_NO_DELIMITER = re.compile(r'"[^"]*"?|\([^()]*\)|\[[^][]*\]')  # quoted, or a list within a header: "Likelihood (1;2;3)"

Row = tuple[str | None, ...]


@dataclass(frozen=True)
class CsvTable:
    """`actions`, `controls` or `elements`: columns in snake_case, each once, and headers as the CSV spells them."""

    name: str
    columns: tuple[str, ...]
    headers: tuple[str, ...]


def csv_tables(path: Path, bundle: Bundle) -> Iterator[tuple[CsvTable, Iterator[list[Row]]]]:
    """The CSVs of a bundle, each with its rows in batches of at most 2,000, in the order of the directory.

    A name may come twice, at the top and in a folder. Callers may take the batches at any time. Raises
    DocumentDamaged if the ZIP is not the one that `bundle` describes. The batches of one CSV raise it too, if a
    row is too long or a quote never closes. They first give the rows before, and the other CSVs can still be read.
    """
    tables = tables_of(member.name for member in bundle.members)
    # those with one name are equal, and count once
    named = {one.name: one for one in bundle.members if one.sha256 and one.name in tables}
    if not named:
        return
    with open_again(path, bundle) as pieces_of:
        for name, member in named.items():
            held = b"".join(pieces_of(name)) if member.size_bytes <= _SMALL else b""
            found = _Csv(path, bundle, name, held)
            yield CsvTable(tables[name], _columns(found.headers), found.headers), found.batches()


def _columns(headers: tuple[str, ...]) -> tuple[str, ...]:
    columns: dict[str, None] = {}
    repeated = Counter[str]()  # else thousands of columns with one name would take thousands of tries each
    for number, header in enumerate(headers, 1):
        column = snake_case(header, f"column_{number}")
        wanted = f"csv_{column}" if column in _OURS else column
        while (name := f"{wanted}_{repeated[wanted] + 1}" if repeated[wanted] else wanted) in columns:
            repeated[wanted] += 1
        columns[name] = None
    return tuple(columns)


class _Csv:
    """One CSV member: its encoding follows from all its bytes, its delimiter and its headers from the first line."""

    def __init__(self, path: Path, bundle: Bundle, member: str, held: bytes) -> None:
        """`held` is all of it if it is small; else each reading unpacks it again."""
        self._path = path
        self._bundle = bundle
        self._member = member
        self._held = held
        with closing(self._pieces()) as pieces:
            self._encoding = encoding_of(pieces)
        self._delimiter = ","
        self.headers: tuple[str, ...] = ()
        with closing(self._rows()) as rows, suppress(DocumentDamaged):  # `batches` raises it again
            self.headers = tuple(next(rows, ()))[:_MOST_COLUMNS]

    def batches(self) -> Iterator[list[Row]]:
        """The rows below the header, as wide as the header; raises DocumentDamaged after the rows before a fault."""
        batch: list[Row] = []
        size = 0
        fault: DocumentDamaged | None = None
        with closing(self._rows()) as rows:
            try:
                for row in islice(rows, 1, None):
                    batch.append(self._fitted(row))
                    size += sum(map(len, row)) + len(row)
                    if len(batch) == _ROWS or size > _BATCH:
                        yield batch
                        batch, size = [], 0
            except DocumentDamaged as error:
                fault = error
        if batch:
            yield batch
        if fault is not None:
            raise fault

    def _fitted(self, row: list[str]) -> Row:
        width = len(self.headers)
        while len(row) > width and row[-1] == "":
            row.pop()
        if len(row) > width:
            return (*row[: width - 1], self._delimiter.join(row[width - 1 :]))
        return (*row, *[None] * (width - len(row)))

    def _rows(self) -> Generator[list[str], None, None]:
        """The header and the rows; empty lines are neither."""
        with closing(self._pieces()) as pieces:
            whole = io.BytesIO(self._held) if self._held else io.BufferedReader(_Pieces(pieces))
            lines = _Lines(_text(whole, self._encoding), self._too_long)
            first = lines.first()
            if said := _SAID.fullmatch(first):
                lines.in_row = 0
                first = lines.first()
            self._delimiter = said[1] if said else _delimiter(first)
            # Python has one limit for all readers, far below the length of a description
            csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_ROW + len(_END)))
            for row in csv.reader(chain((first,), iter(lines), lines.end()), delimiter=self._delimiter):
                lines.in_row = 0
                if not lines.are_over:
                    if row:
                        yield row
                elif row != [_END]:
                    yield [*row[:-1], row[-1].removesuffix(_END)]
                    raise self._damaged(f"a quote in {self._member} never closes, so one cell has the rest of the CSV")

    def _pieces(self) -> Generator[bytes, None, None]:
        if self._held:
            yield self._held
        else:
            yield from member_pieces(self._path, self._bundle, self._member)

    def _too_long(self) -> DocumentDamaged:
        return self._damaged(f"a row of {self._member} is longer than {_LONGEST_ROW:,} characters")

    def _damaged(self, what: str) -> DocumentDamaged:
        return DocumentDamaged(self._path.name, what, "Look at that CSV in the stored ZIP")


def _text(whole: BinaryIO, encoding: str) -> io.TextIOWrapper:
    """Bytes that an encoding leaves undefined become U+FFFD; line ends stay as they are, for the cells."""
    return io.TextIOWrapper(whole, encoding, errors="replace", newline="")


def _delimiter(line: str) -> str:
    """The most frequent one of the header: programs that write semicolons leave a comma in a header unquoted."""
    return max(",;\t|", key=_NO_DELIMITER.sub("", line).count)


class _Pieces(io.RawIOBase):
    """Pieces of bytes as a file to read from."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        length = min(len(buffer), len(self._rest))
        buffer[:length] = self._rest[:length]
        self._rest = self._rest[length:]
        return length


class _Lines:
    """Lines of a text; `in_row` counts the characters since it was last set to 0, and raises past the longest row."""

    def __init__(self, text: io.TextIOWrapper, too_long: Callable[[], DocumentDamaged]) -> None:
        self._text = text
        self._too_long = too_long
        self.in_row = 0
        self.are_over = False

    def first(self) -> str:
        """The first line that is not empty, '' if there is none."""
        for line in self:
            if line.strip("\r\n"):
                return line
            self.in_row = 0
        return ""

    def __iter__(self) -> Iterator[str]:
        while line := self._text.readline(_LONGEST_ROW + 1 - self.in_row):
            self.in_row += len(line)
            if self.in_row > _LONGEST_ROW:
                raise self._too_long()
            yield line

    def end(self) -> Iterator[str]:
        """The mark after the last line."""
        self.are_over = True
        yield _END
