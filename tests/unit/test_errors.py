"""Promises of the error tree."""

import inspect
import pickle

import pytest

from propsync import errors
from propsync.errors import PropsyncError, RequestRefused

LEAVES = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, PropsyncError)]


@pytest.mark.parametrize("kind", LEAVES)
def test_every_error_is_one_line_that_ends_with_what_to_do(kind):
    error = kind("GET /x", "two\nlines.\t of text")
    assert str(error) == f"GET /x: two lines. of text. {kind.advice}"
    assert len(str(error).splitlines()) == 1


@pytest.mark.parametrize("kind", LEAVES)
def test_every_error_stands_in_the_drawn_tree(kind):
    assert f" {kind.__name__} " in errors.__doc__ or kind is PropsyncError


@pytest.mark.parametrize("kind", LEAVES)
def test_every_error_survives_the_way_to_another_process(kind):
    error = pickle.loads(pickle.dumps(kind("a", "b", "c")))
    assert (type(error), str(error)) == (kind, "a: b. c")


def test_details_survive_the_way_to_another_process():
    error = errors.TransientApiError("a", "b", status=503, attempts=8, waited=12.5, asked_to_wait=3600)
    again = pickle.loads(pickle.dumps(error))
    assert (again.status, again.attempts, again.waited, again.asked_to_wait) == (503, 8, 12.5, 3600)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.SettingsError, 2),
        (errors.InvalidValue, 2),
        (errors.TokenRefused, 1),
        (errors.DiskFull, 1),
        (errors.AnswerLost, 3),
        (errors.ShapeUnknown, 3),
        (errors.Busy, 4),
    ],
)
def test_exit_codes_are_those_of_the_contract(kind, code):
    assert kind("a", "b").exit_code == code


def test_only_codes_ending_in_not_found_say_that_something_is_gone():
    assert RequestRefused("a", "b", code="PropertyNotFound").says_not_found
    assert not RequestRefused("a", "b", code="NotFoundProperty").says_not_found
    assert not RequestRefused("a", "b").says_not_found
    assert errors.NotFound("a", "b").says_not_found
    assert not errors.AccessForbidden("a", "b").says_not_found
