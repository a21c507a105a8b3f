"""The plan: the exact writes that a person reviewed, as a file whose id is the hash of its content."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from propsync.errors import HomeUnusable, UsageError
from propsync.records import encode
from propsync.storage import LocalStorage, or_elsewhere, step_against, why_unread

PLAN_VERSION = 1
CREATE, UPDATE, DELETE = "create", "update", "delete"
_LARGE_SHARE, _LARGE_RECORDS, _LARGE_CLEARS, _LARGE_DELETES = 0.3, 20, 100, 20
_ID_LENGTH = 16
_BEGIN = b'{"plan_id":'
_ELSEWHERE = "Save the plan where you may write, with --out"
_AGAIN = "Run `propsync push plan` again"


class FieldChange(msgspec.Struct, frozen=True):
    """One value to write. `field` is a field's id, or a member of a schedule such as dueDate; `new` is None to clear.

    Values are as in the API's JSON (API §2.3, 4.11): text, number (int or Decimal), a list of option or user ids.
    `names` are the names of these ids for people who review the plan: labels, with the id if another one has the same.
    """

    field: str
    label: str
    kind: str
    old: Any = None
    new: Any = None
    names: dict[str, str] = {}


class Entry(msgspec.Struct, frozen=True):
    """One record to write. `key` is the asset's id, or the schedule's property and type; empty for a new asset.

    `row` is its row in the file, None if no row of the file has it (a schedule that `--prune` deletes, an undo).
    """

    row: int | None
    action: str
    key: tuple[str, ...]
    property_id: str
    type_id: str
    changes: list[FieldChange] = []


class Refusal(msgspec.Struct, frozen=True):
    """A row that propsync cannot plan: its row, its column with the cell's address, what stands there, and why not."""

    row: int | None
    column: str | None
    found: str | None
    reason: str


class Plan(msgspec.Struct, frozen=True, dict=True):
    """Everything that `apply` sends, and nothing else.

    `published_run` is the run whose tables the file was compared with, `sizes` the number of known records of each
    type concerned, `types` their names. `undoes` is the run that an undo reverses; `notes` are lines for people about
    the whole plan. `api` is the address of the API that the tables are from; plans of earlier versions lack it.
    """

    resource: str
    file: str
    file_sha256: str
    published_run: str
    entries: list[Entry]
    refused: list[Refusal] = []
    sizes: dict[str, int] = {}
    types: dict[str, str] = {}
    undoes: str | None = None
    notes: list[str] = []
    version: int = PLAN_VERSION
    api: str | msgspec.UnsetType = msgspec.UNSET

    @cached_property
    def plan_id(self) -> str:
        """The first digits of the hash of its content, worked out once: each record of it is written with it."""
        return hashlib.sha256(encode(self)).hexdigest()[:_ID_LENGTH]

    def of_api(self, address: str | None) -> Plan:
        """The plan for an API; the same plan if nobody knows which."""
        return self if address is None else msgspec.structs.replace(self, api=address)

    def counts(self) -> dict[str, int]:
        """Records to create, update and delete."""
        return {action: sum(one.action == action for one in self.entries) for action in (CREATE, UPDATE, DELETE)}

    def fields(self) -> dict[str, int]:
        """Values to set and to clear."""
        news = [change.new is None for one in self.entries for change in one.changes if one.action != DELETE]
        return {"set": news.count(False), "clear": news.count(True)}

    def why_large(self) -> list[str]:
        """Why the plan needs consent, a line each; empty if it needs none."""
        return [*_large_shares(self), *_large_numbers(self)]


def _large_shares(plan: Plan) -> list[str]:
    touched = Counter(one.type_id for one in plan.entries if one.action != CREATE)
    created = Counter(one.type_id for one in plan.entries if one.action == CREATE)
    named = {type_id: plan.types.get(type_id, type_id) for type_id in touched | created}
    changes = [
        f"it changes {count} of the {plan.sizes.get(type_id, 0)} records of the type {named[type_id]}"
        for type_id, count in _beyond_share(plan, touched)
    ]
    return changes + [
        f"it creates {count} records of the type {named[type_id]}, which has {plan.sizes.get(type_id, 0)}"
        for type_id, count in _beyond_share(plan, created)
    ]


def _beyond_share(plan: Plan, counts: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    for type_id, count in counts.items():
        if count > _LARGE_RECORDS and count > _LARGE_SHARE * plan.sizes.get(type_id, 0):
            yield type_id, count


def _large_numbers(plan: Plan) -> list[str]:
    clears, deletes = plan.fields()["clear"], plan.counts()[DELETE]
    lines = [f"it clears {clears} values"] if clears > _LARGE_CLEARS else []
    return [*lines, *([f"it deletes {deletes} schedules"] if deletes > _LARGE_DELETES else [])]


def save_plan(plan: Plan, path: Path) -> None:
    """Writes the plan whole, readable by its owner alone. Raises DiskFull, HomeUnusable."""
    body = b'%b"%b","plan":%b}\n' % (_BEGIN, plan.plan_id.encode(), encode(plan))
    storage = LocalStorage(path.absolute().parent)
    with or_elsewhere(_ELSEWHERE, HomeUnusable):
        try:
            storage.put(path.name, body)
        except FileNotFoundError:  # a run that begins removes unfinished files in the state, this one too
            _put_again(storage, path, body)


def _put_again(storage: LocalStorage, path: Path, body: bytes) -> None:
    try:
        storage.put(path.name, body)
    except FileNotFoundError as error:  # as in /proc, which holds no files of ours
        raise HomeUnusable(str(path), f"cannot be written: {error.strerror}", _ELSEWHERE) from error


def is_plan(path: Path) -> bool:
    """Whether a file looks like a plan; a new plan may replace it."""
    try:
        if not path.is_file():  # a pipe would wait for its writer
            return False
        with path.open("rb") as file:
            return file.read(len(_BEGIN)) == _BEGIN
    except OSError:
        return False


def check_out(out: Path | None) -> None:
    """Raises UsageError if the file that `--out` names is somebody's and no plan, or its folder does not exist."""
    if out is None:
        return
    if out.exists() and not is_plan(out):
        raise UsageError(str(out), "it exists already, and is no plan", "Give --out a new name")
    if not out.absolute().parent.is_dir():
        raise UsageError(str(out), f"there is no folder {out.parent}", "Give --out a folder that exists")


def save_as(plan: Plan, out: Path) -> None:
    """Writes the plan where `--out` says. Raises UsageError if nothing can be written there.

    Raises DiskFull, and HomeUnusable if the disk fails.
    """
    check_out(out)
    with or_elsewhere("Give --out a place where you may write"):
        save_plan(plan, out)


def load_plan(path: Path) -> Plan:
    """Reads a plan. Raises UsageError if there is none, it is damaged, or somebody changed it."""
    where = str(path)
    try:
        saved = _DECODER.decode(path.read_bytes())
    except FileNotFoundError as error:
        raise UsageError(where, "there is no such plan", _AGAIN) from error
    except OSError as error:
        raise UsageError(where, why_unread(error), step_against(error) or _AGAIN) from error
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise UsageError(where, "it cannot be read as a plan of propsync", _AGAIN) from error
    if saved.plan.version != PLAN_VERSION:
        raise UsageError(where, "another version of propsync made this plan", _AGAIN)
    if saved.plan.plan_id != saved.plan_id:
        raise UsageError(where, "the plan was changed after it was made, so nobody has reviewed it", _AGAIN)
    return saved.plan


class _Saved(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    plan_id: str
    plan: Plan


_DECODER = msgspec.json.Decoder(_Saved, float_hook=Decimal)
