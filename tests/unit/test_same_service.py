"""Whether two addresses mean one API."""

from __future__ import annotations

import pytest

from propsync.settings import is_same_service


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("https://api.example.org/v1", "https://API.example.org:443/v1/", True),
        ("http://127.0.0.1:8001/v1", "http://127.0.0.1:8002/v1", True),
        ("http://localhost:8001", "https://127.0.0.1:8002", True),
        ("https://api.example.org/v1", "https://staging.example.org/v1", False),
        ("https://api.example.org/v1", "https://api.example.org:8443/v1", False),
        ("https://api.example.org/v1", "https://api.example.org/test/v1", False),
    ],
)
def test_an_address_names_a_host_a_port_and_a_path(one: str, other: str, is_same: bool) -> None:
    assert is_same_service(one, other) == is_same
