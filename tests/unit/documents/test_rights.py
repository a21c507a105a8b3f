"""A 403 gives up a kind of document, or costs one document alone; a quota that is spent gives it up."""

from __future__ import annotations

from propsync.documents.rights import Rights


def test_a_kind_is_given_up_at_the_first_403_and_not_the_other() -> None:
    rights = Rights()
    rights.came("bundle")
    rights.refused("report", "403")
    assert rights.forbidden == {"report": "403"}


def test_after_a_document_that_came_a_403_is_about_one_document() -> None:
    rights = Rights()
    for _ in range(5):
        rights.came("report")
        for _ in range(19):
            rights.refused("report", "403")
    assert rights.forbidden == {}


def test_twenty_in_succession_give_up_a_kind_that_came_before() -> None:
    rights = Rights()
    rights.came("report")
    for _ in range(20):
        assert not rights.forbidden
        rights.refused("report", "403")
    assert rights.forbidden == {"report": "403"}


def test_a_quota_that_is_spent_gives_up_a_kind_at_once() -> None:
    rights = Rights()
    rights.came("report")
    rights.spent("report", "429")
    assert (rights.forbidden, rights.of_quotas) == ({"report": "429"}, {"report"})
