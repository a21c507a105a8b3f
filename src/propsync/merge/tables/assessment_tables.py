"""The tables of assessments: a row each, a row a flag, a row an entry of a flag's history."""

from __future__ import annotations

from propsync.merge.tables.flag_history import history_at
from propsync.merge.tables.fragments import open_columns
from propsync.merge.tables.latest_versions import DIRTY_PAYLOADS
from propsync.merge.tables.record_tables import RecordTables
from propsync.shapes import Shape
from propsync.warehouse import Models


class AssessmentTables(RecordTables):
    """Assessments, their flags and the flags' history."""

    further = ("assessment_flags", "assessment_flag_history")

    def _further_fragments(self, shape: Shape) -> dict[str, dict[str, str]]:
        flags, history = self._finder.flags(DIRTY_PAYLOADS, shape)
        return {
            "assessment_flags": {"open_columns": open_columns(flags, "flag")},
            "assessment_flag_history": {
                "flag_history": history_at(shape.paths("flag_history"), "flag"),
                "open_columns": open_columns(history, "entry"),
            },
        }

    def _stage_parts(self, models: Models) -> None:
        models.stage_for(*(f"main/{table}.open" for table in self.further))
