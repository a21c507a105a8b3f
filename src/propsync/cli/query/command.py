"""`propsync query`: the rows of SQL on the published warehouse, as a table or a file."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice, takewhile
from typing import BinaryIO

from propsync.cli.query.describing import columns_of
from propsync.cli.terminal import output
from propsync.cli.terminal.tables import echo, print_lots, say
from propsync.errors import QueryWrong, UsageError
from propsync.settings import Settings
from propsync.warehouse import PublishedReader, check_published, statement
from propsync.warehouse.query_result import Lot, QueryResult
from propsync.warehouse.sealed_query import Question, SealedQuery

_ON_A_TERMINAL = 100  # rows
_COUNTED = 100_000  # rows, beyond those shown


_FOR_EXCEL = "excel"  # CSV in the form of --excel


def run_query(
    settings: Settings,
    sql: str | None,
    output_format: str,
    *,
    tables: bool,
    describe: str | None,
    for_excel: bool = False,
) -> None:
    """Prints the rows of SQL, the tables, or a table's columns. Raises UsageError."""
    asked = [one for one in (sql, tables or None, describe) if one is not None]
    if len(asked) != 1:
        what = "give one of: an SQL text (also with --file FILE, or - for standard input), --tables, --describe TABLE"
        raise UsageError("query", what, "Try: propsync query --tables")
    _check_output(output_format)
    if for_excel and output_format != "csv":
        raise UsageError("--excel", "it is a form of CSV", "Add --format csv, or give --format xlsx without --excel")
    path = settings.published / "warehouse.duckdb"
    check_published(path)
    if describe is not None:
        with PublishedReader(path) as reader:
            sql = columns_of(reader, describe)
    with SealedQuery(path, zone=settings.time_zone, memory_limit=settings.memory_limit) as inquiry:
        form = _FOR_EXCEL if for_excel else output_format
        _answer(inquiry, statement("cli/tables") if sql is None else sql, form)


def _check_output(output_format: str) -> None:
    if output.is_closed:
        raise UsageError(
            "standard output", "it is closed, and the rows have nowhere to go", "Send them elsewhere: > FILE"
        )
    if output_format in ("parquet", "xlsx") and sys.stdout.isatty():
        raise UsageError(
            f"--format {output_format}", "the rows would go to the terminal", f"Add > rows.{output_format}"
        )


def _answer(inquiry: SealedQuery, sql: str, output_format: str) -> None:
    questions = inquiry.questions(sql)
    shown = sum(question.has_rows for question in questions)
    if not shown:
        raise QueryWrong("query", "the statement returns no rows", "Write a SELECT; what is published is read-only")
    if shown > 1 and output_format != "table":
        what = f"{shown} statements return rows, and --format {_written(output_format)} holds those of one"
        raise QueryWrong("query", what, "Give one of them, or --format table")
    with suppress(BrokenPipeError):  # the reader has gone, as with `| head`; typer would report a failure
        for number, answer in enumerate(_answers(inquiry, questions)):
            if output_format == "table":
                _print(answer, is_first=number == 0)
            else:
                _write(answer, output_format, sys.stdout.buffer)


def _answers(inquiry: SealedQuery, questions: Sequence[Question]) -> Iterator[QueryResult]:
    for question in questions:
        answer = inquiry.ask(question)
        if answer is not None:
            with closing(answer):
                yield answer


def _write(answer: QueryResult, output_format: str, target: BinaryIO) -> None:
    is_more = target.isatty() and answer.keep(_ON_A_TERMINAL)
    with closing(_pieces(answer, output_format)) as pieces:
        for piece in pieces:
            target.write(piece)
    target.flush()
    if is_more:
        say(f"these are the first {_ON_A_TERMINAL} rows. For all of them add: > rows.{_written(output_format)}")


def _pieces(answer: QueryResult, output_format: str) -> Generator[bytes]:
    if output_format == _FOR_EXCEL:
        return answer.excel_csv()
    if output_format == "xlsx":
        from propsync.cli.query.sheet import workbook  # it takes longer to import than most queries run

        return workbook(answer)
    return answer.pieces(output_format)


def _written(output_format: str) -> str:
    return "csv" if output_format == _FOR_EXCEL else output_format


def _print(answer: QueryResult, *, is_first: bool) -> None:
    if not is_first:
        echo()
    with closing(answer.lots()) as lots:
        if answer.columns == ["explain_key", "explain_value"]:
            echo("\n".join(plan or "" for lot in lots for _, plan in lot).rstrip())
            return
        if not sys.stdout.isatty():
            echo(_counted(print_lots(answer.columns, _wanted(lots), answer.are_numbers)))
            return
        first, rest = _parted(lots)
        print_lots(answer.columns, iter([first]), answer.are_numbers)
        echo(_of_more(len(first), rest))


def _wanted(lots: Iterator[Lot]) -> Iterator[Lot]:
    """The rows, while standard output accepts them."""
    return takewhile(lambda _: output.lost is None, lots)


def _parted(lots: Iterator[Lot]) -> tuple[Lot, int]:
    """The rows that a terminal shows, and how many more exist, up to the counting limit."""
    rows = (row for lot in lots for row in lot)
    first = list(islice(rows, _ON_A_TERMINAL))
    return first, sum(1 for _ in islice(rows, _COUNTED))


def _counted(rows: int) -> str:
    return f"{rows:,} row{'' if rows == 1 else 's'}"


def _of_more(shown: int, rest: int) -> str:
    if not rest:
        return _counted(shown)
    whole = f"{shown + rest:,}" if rest < _COUNTED else f"more than {rest:,}"
    return f"The first {shown} of {whole} rows. For all of them add: --format csv > rows.csv"
