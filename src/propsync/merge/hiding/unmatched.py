"""Lines of `[privacy] hide` that match nothing of what is published."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from propsync.merge.hiding.lines import nearest, plain
from propsync.settings import HiddenLine
from propsync.warehouse import quoted, statement, text

Ask = Callable[[str], Sequence[tuple[Any, ...]]]
"""Answers a query on the published tables."""

ANY_MORE = " any more: its member may have another name now, and be shown"


class Unmatched:
    """Looks for lines among published names. What an earlier run hid is not there."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def of(self, lines: Iterable[HiddenLine]) -> list[str]:
        """A sentence for each line that matches nothing, with the nearest name; none for a resource not read yet."""
        missed = [line for line in lines if not (self._may_be_member(line) if line.path else self._is_named(line))]
        return [unmatched(line, self._names(line)) for line in missed]

    def _names(self, line: HiddenLine) -> list[str]:
        if line.path:
            query = statement("merge/hidden/members_of", resource=text(line.resource))
        else:
            query = statement("merge/hidden/type_ids" if line.type is not None else "merge/hidden/field_ids")
        return [name for row in self._ask(query) for name in row if name]

    def _is_named(self, line: HiddenLine) -> bool:
        written = line.field or line.type or ""
        name = text(json.dumps(written, ensure_ascii=False))
        is_now = plain(written) in {plain(name) for name in self._names(line)}
        return is_now or self._holds(statement("merge/hidden/was_named", name=name))

    def _may_be_member(self, line: HiddenLine) -> bool:
        if not self._holds(statement("merge/hidden/is_published", resource=text(line.resource))):
            return True
        member = text(f'"{line.path[-1]}"')
        return self._holds(statement("merge/hidden/has_member", table=quoted(line.resource), member=member))

    def _holds(self, query: str) -> bool:
        return bool(self._ask(query)[0][0])


def unmatched(line: HiddenLine, names: Iterable[str], since: str = "") -> str:
    """The sentence about a line that matches nothing; `names` are those that it might mean."""
    written = line.field or line.type or ".".join(line.path)
    close = nearest(written, [*names])
    advice = f"; the nearest is {close}" if close else ""
    return f'[privacy] hide has "{line.text}", which matches nothing{since}{advice}'
