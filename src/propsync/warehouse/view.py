"""One view of the published file, and the statements that make it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from propsync.warehouse.declared_tables import comment_on_column, quoted, text
from propsync.warehouse.statements import statement


@dataclass(frozen=True)
class View:
    """A view: its select, and columns with their type and comment, as those of a table."""

    schema: str
    name: str
    sql: str
    comment: str
    columns: dict[str, tuple[str, str]]

    @property
    def full_name(self) -> str:
        """Schema and name, as models write it."""
        return f"{self.schema}.{self.name}"

    def ddl(self) -> Iterator[str]:
        """The statements that make it, or make it again."""
        target = f"{quoted(self.schema)}.{quoted(self.name)}"
        yield statement("warehouse/make_view", view=target, query=self.sql.strip().rstrip(";"))
        yield statement("warehouse/comment_on_view", view=target, comment=text(self.comment))
        for column, (_, comment) in self.columns.items():
            yield comment_on_column(target, column, comment)
