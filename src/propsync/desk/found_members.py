"""The columns that play a part in the marts: the SQL that reads them, and why propsync believes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from propsync.desk.action_members import ACTIONS, ActionMembers
from propsync.desk.assessor_members import ASSESSMENTS, AssessorMembers
from propsync.desk.choices import DeskChoices
from propsync.desk.flag_members import FlagMembers
from propsync.warehouse import Warehouse


class FoundMembers:
    """The columns of flags, actions and assessments that play a part, found once for a run.

    `named` has those that people name for a part of a table, and which it has.
    """

    def __init__(
        self, warehouse: Warehouse, choices: DeskChoices, named: Mapping[str, Mapping[str, Sequence[str]]]
    ) -> None:
        self._found = (
            FlagMembers(warehouse, choices, named),
            ActionMembers(warehouse, choices, named.get(ACTIONS, {})),
            AssessorMembers(warehouse, choices, named.get(ASSESSMENTS, {})),
        )

    def fragments(self) -> dict[str, str]:
        """The pieces of SQL with which marts read each part."""
        return {name: sql for of_table in self._found for name, sql in of_table.fragments().items()}

    def evidence(self) -> list[tuple[str, str | None, str, str]]:
        """A row for each part, as `ops.desk` has them: setting, value, source, evidence."""
        return [
            (f"{table}.{member.part}", member.columns, member.source, member.evidence)
            for of_table in self._found
            for table, member in of_table.all()
        ]
