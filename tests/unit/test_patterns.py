"""Texts of people's files and of servers are judged in a time that grows with their length, not with its square."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from obstore.exceptions import GenericError

from propsync.errors import StorageAway
from propsync.merge.reference.requirements import Condition, ConditionUnreadable
from propsync.push.damage import check_text
from propsync.storage.answers import answered


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    began = time.process_time()
    yield
    assert time.process_time() - began < 2


@pytest.mark.parametrize("blanks", ["region" + " " * 40_000, "region = North" + " " * 40_000 + "or South"])
def test_a_condition_with_many_blanks_is_refused(blanks: str) -> None:
    with pytest.raises(ConditionUnreadable):
        Condition.of(blanks)


def test_a_cell_of_many_digits_is_a_text() -> None:
    digits = "1" * 20_000 + " flats"
    check_text(digits, digits, "flats")


def test_an_error_of_a_server_that_repeats_itself_is_one_line() -> None:
    with pytest.raises(StorageAway) as caught, answered("s3://bucket", "key"):
        raise GenericError("status code: 500: " + "<Code>" * 20_000)
    assert len(str(caught.value)) < 500
