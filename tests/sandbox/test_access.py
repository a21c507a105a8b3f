"""Tokens, rights, unknown paths and methods (API §5, 7)."""

import httpx
import pytest

from propsync_sandbox import Sandbox

PATHS = [
    "/properties/assets/types",
    "/properties/assets",
    "/assessments",
    "/assessments/types",
    "/assessments/schedules",
    "/assessments/schedules/a/b",
    "/assessments/a/report.pdf",
    "/assessments/a/bundle.zip",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("header", [None, "Bearer wrong", "Basic {token}", "{token}", "Bearer"])
def test_without_a_known_bearer_token_every_endpoint_answers_401(
    sandbox: Sandbox, stranger: httpx.Client, path: str, header
) -> None:
    headers = {} if header is None else {"Authorization": header.format(token=sandbox.token)}
    answer = stranger.get(path, headers=headers)
    assert answer.status_code == 401
    assert answer.json()["code"] == "Unauthorized"
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_writes_need_a_token_too(sandbox: Sandbox, stranger: httpx.Client) -> None:
    key = sandbox.world.schedules.pick()
    answer = stranger.delete(f"/assessments/schedules/{key[0]}/{key[1]}")
    assert answer.status_code == 401
    assert key in sandbox.world.schedules


def test_the_scheme_is_taken_in_any_case(sandbox: Sandbox, stranger: httpx.Client) -> None:
    headers = {"authorization": f"bearer {sandbox.token}"}
    assert stranger.get("/assessments/types", headers=headers).status_code == 200


def test_a_token_is_refused_only_under_the_prefixes_it_has_no_right_to(start) -> None:
    sandbox, client = start(
        token="tok-limited", rights={"tok-limited": ["/assessments/schedules", "/assessments/*/report.pdf"]}
    )
    key = sandbox.world.assessments.pick()
    told = {
        path: client.get(path).status_code
        for path in (
            "/assessments/schedules",
            "/assessments/schedules/a/b",
            f"/assessments/{key}/report.pdf",
            f"/assessments/{key}/bundle.zip",
            "/assessments",
        )
    }
    assert list(told.values()) == [403, 403, 403, 200, 200]
    assert client.get("/assessments/schedules").json()["code"] == "Forbidden"


def test_a_changed_token_takes_the_place_of_the_old_one(start) -> None:
    sandbox, client = start()
    sandbox.change_token("fresh")
    assert client.get("/assessments/types").status_code == 401
    assert client.get("/assessments/types", headers={"Authorization": "Bearer fresh"}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/elements", "/assets", "/properties", "/assessments/x", "/assessments/"])
def test_an_unknown_path_is_404_with_a_code(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "NotFound")


def test_another_method_on_a_known_path_is_405_and_says_which_are_allowed(client: httpx.Client) -> None:
    answer = client.post("/assessments/schedules/a/b")
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, PUT, DELETE"


@pytest.mark.parametrize(
    "path", ["/assessments/schedules/a/b", "/assessments/a/report.pdf", "/assessments/a/bundle.zip"]
)
def test_what_does_not_exist_is_404_with_a_code_that_ends_in_not_found(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json()["code"].endswith("NotFound")
