"""From a spreadsheet to a plan, and the template that the spreadsheet begins as; neither sends anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from propsync.errors import UsageError
from propsync.publish import WAREHOUSE
from propsync.push.files.corrections import read_answer, read_file
from propsync.push.files.source import Source
from propsync.push.journals.erased import refuse_erased_rows
from propsync.push.plan import Plan, check_out
from propsync.push.planning.asset_rows import AssetRows
from propsync.push.planning.columns import NOTE
from propsync.push.planning.schedule_rows import Prune, ScheduleRows
from propsync.push.review.names import Names
from propsync.push.review.summary import keep_plan
from propsync.push.sending.in_flight import refuse_unfinished
from propsync.push.templates.template import asset_template, schedule_template
from propsync.push.templates.template_file import write_template
from propsync.push.values.fields import RecordType
from propsync.push.values.published import Published
from propsync.runbooks.push.tables import open_tables
from propsync.settings import Settings
from propsync.storage import LocalStorage, may_list
from propsync.suppression import Suppression
from propsync.warehouse import check_published
from propsync.warehouse.query_result import QueryResult
from propsync.warehouse.sealed_query import SealedQuery

ASSETS, SCHEDULES = "assets", "schedules"
_KEYS = {ASSETS: "asset_id", SCHEDULES: "property_id"}
_MOST_BYTES = 200_000_000
_ALTERED = re.compile(r"\b(INTERVAL|TIME WITH TIME ZONE)\b")


@dataclass(frozen=True)
class Wanted:
    """A file of corrections or a query in its place, and what the options add to it."""

    resource: str
    file: Path | None = None
    sql: str | None = None
    of_type: str | None = None
    properties: Sequence[str] = ()
    prune: bool = False
    out: Path | None = None


def make_plan(settings: Settings, wanted: Wanted) -> tuple[Plan, Path]:
    """Compares the file with the published tables and saves the plan. Raises UsageError if the file cannot be used."""
    _check(wanted)
    source = _source(settings, wanted)
    with _published(settings) as published:
        plan = _rows(published, source, wanted).plan().of_api(published.api)
    _check_home(settings, plan)
    return plan, keep_plan(settings.state, plan, wanted.out)


def make_template(
    settings: Settings, resource: str, of_type: str | None, properties: Sequence[str], file: Path | None
) -> tuple[Path, int, list[str]]:
    """Writes a template; returns its path, the number of its rows, and notes. Raises UsageError."""
    with _published(settings) as published:
        _check_properties(published, properties)
        named = _type(published, resource, of_type)
        if resource == ASSETS:
            if named is None:
                raise UsageError("push template assets", "it needs --type", _types_of(published, resource))
            template = asset_template(published, named, properties or None)
        else:
            template = schedule_template(published, properties or None, [named.id] if named else None)
        path = file or Path(f"{(named and named.table) or resource}.xlsx")
        count = write_template(template, path)
    return path, count, template.notes


def names_of(settings: Settings, plan: Plan) -> Names:
    """The names that the published tables have for the records of a plan; none if nothing can be read."""
    try:
        with _published(settings) as published:
            return Names.of_plan(plan, published)
    except UsageError:
        return Names()


def _check(wanted: Wanted) -> None:
    if (wanted.file is None) == (wanted.sql is None):
        raise UsageError("push plan", "give either a file or --sql", "See: propsync push plan --help")
    if not wanted.prune and wanted.properties:
        raise UsageError("--property", "it names what --prune may delete", "Add --prune, or leave it out")
    if wanted.prune and wanted.resource != SCHEDULES:
        raise UsageError("--prune", "nothing but schedules can be deleted", "Leave it out")
    if wanted.prune and not (wanted.properties or wanted.of_type):
        raise UsageError("--prune", "it needs --property or --type: what it may delete", "Name the scope of the file")
    check_out(wanted.out)


def _check_home(settings: Settings, plan: Plan) -> None:
    """Refuses new assets of an unfinished plan and what was erased, if this user may look there.

    An apply refuses what was erased too, and makes no asset that another plan has made.
    """
    if may_list(settings.state):
        refuse_unfinished(plan, LocalStorage(settings.home))
    if may_list(settings.landing):
        refuse_erased_rows(plan, Suppression.of(LocalStorage(settings.home)))


def _source(settings: Settings, wanted: Wanted) -> Source:
    if wanted.file is not None:
        return read_file(wanted.file, _KEYS[wanted.resource])
    path = settings.published / WAREHOUSE
    check_published(path)
    with SealedQuery(path, zone=settings.time_zone, memory_limit=settings.memory_limit) as inquiry:
        return read_answer(wanted.sql or "", b"".join(_answer(inquiry, wanted.sql or "")))


def _answer(inquiry: SealedQuery, sql: str) -> Iterator[bytes]:
    questions = [one for one in inquiry.questions(sql) if one.has_rows]
    if len(questions) != 1:
        raise UsageError("--sql", "it needs one statement that returns rows", "Write one SELECT")
    answer = inquiry.ask(questions[0])
    if answer is None:
        raise UsageError("--sql", "it returns no rows", "Write one SELECT")
    size = 0
    with closing(answer), closing(answer.pieces("parquet")) as pieces:
        _check_types(answer)
        for piece in pieces:
            size += len(piece)
            if size > _MOST_BYTES:
                raise UsageError("--sql", f"the rows are larger than {_MOST_BYTES:,} bytes", "Ask for less")
            yield piece


def _check_types(answer: QueryResult) -> None:
    """Refuses types that Parquet alters without a word: it moves a time to UTC, and makes an interval bytes."""
    for name, kind in zip(answer.columns, answer.types(), strict=True):
        if _ALTERED.search(kind) and not name.startswith(NOTE):
            what = f"its column {name} is of the type {kind}, and no field has such values"
            raise UsageError("--sql", what, f"Make it a time or a text, such as {name}::time or {name}::varchar")


@contextmanager
def _published(settings: Settings) -> Iterator[Published]:
    with open_tables(settings) as reader:
        hidden = {line.path[0] for line in settings.privacy.hide if line.resource == SCHEDULES and line.path}
        yield Published(reader, hidden)


def _rows(published: Published, source: Source, wanted: Wanted) -> AssetRows | ScheduleRows:
    of_type = _type(published, wanted.resource, wanted.of_type)
    if wanted.resource == ASSETS:
        return AssetRows(published, source, of_type)
    _check_properties(published, wanted.properties)
    prune = Prune(wanted.properties or None, [of_type.id] if of_type else None) if wanted.prune else None
    return ScheduleRows(published, source, of_type, prune)


def _type(published: Published, resource: str, text: str | None) -> RecordType | None:
    if text is None:
        return None
    types = published.asset_types if resource == ASSETS else published.assessment_types
    found = [one for one in types if one.is_called(text)]
    if len(found) > 1:
        raise UsageError(
            "--type", f"{len(found)} types are called {text}", f"Give an id: {', '.join(one.id for one in found)}"
        )
    if not found:
        raise UsageError("--type", f"propsync knows no type {text}", _types_of(published, resource))
    return found[0]


def _types_of(published: Published, resource: str) -> str:
    types = published.asset_types if resource == ASSETS else published.assessment_types
    return f"Give one of: {', '.join(sorted(one.shown for one in types if one.is_listed))}"


def _check_properties(published: Published, properties: Sequence[str]) -> None:
    unknown = [one for one in properties if one not in published.properties]
    if unknown:
        raise UsageError("--property", f"propsync knows no property {unknown[0]}", "Give the id of a property")
