"""Reports: which approved assessments have none, and which reports changed later, and on which pages."""

from __future__ import annotations

from questions.oracle.due import Rows
from questions.witness import Paper, Witness

_FACTS = ("status", "performedDate", "score", "summary")


def approved_without_report(witness: Witness) -> Rows:
    """assessment_id, property_id, assessment_type; approved now, and no report was ever given"""
    given = witness.papers("report.pdf")
    return [
        (key, one["property"], witness.type_names[one["type"]])
        for key, one in witness.now.assessments.items()
        if one["status"] == "approved" and key not in given
    ]


def changed_reports(witness: Witness) -> Rows:
    """assessment_id, version (from 2 on), pages that differ from the version before

    The first page shows the revision, so it differs each time; the second shows facts of the assessment.
    """
    found: Rows = []
    for key, given in witness.papers("report.pdf").items():
        versions = [paper for place, paper in enumerate(given) if not place or _differs(given[place - 1], paper)]
        for place in range(1, len(versions)):
            pages = "1, 2" if _facts(versions[place - 1]) != _facts(versions[place]) else "1"
            found.append((key, place + 1, pages))
    return found


def _differs(one: Paper, other: Paper) -> bool:
    return one.subject.record.version != other.subject.record.version


def _facts(paper: Paper) -> list[object]:
    members = paper.subject.record.members(with_flags=False)
    return [members.get(name) for name in _FACTS]
