"""A form may name a plan in the folder of the saved plans, and no other file of the machine."""

from pathlib import Path

import pytest

from propsync.errors import UsageError
from propsync.push.journals.saved import plan_named

NAME = "0123456789abcdef.plan"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "home" / "state" / "plans").mkdir(parents=True)
    return tmp_path / "home" / "state"


def test_a_plan_is_named_by_its_path_or_its_name(state: Path) -> None:
    path = state / "plans" / NAME
    assert plan_named(state, NAME) == plan_named(state, str(path)) == path


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        f"../{NAME}",
        f"../../{NAME}",
        f"sub/{NAME}",
        f"/etc/{NAME}",
        "/etc/passwd",
        "../../../../../../etc/passwd",
        "0123456789abcdef.jsonl",
        "0123456789ABCDEF.plan",
        f"{NAME}\n",
        "secret.plan",
        "~/propsync/state/plans/0123456789abcdef.plan",
    ],
)
def test_any_other_place_is_refused(state: Path, name: str) -> None:
    with pytest.raises(UsageError, match="not in the folder of the saved plans") as caught:
        plan_named(state, name)
    assert "passwd" not in str(caught.value)


def test_a_link_out_of_the_folder_is_refused(state: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.plan").write_text("{}")
    (state / "plans" / NAME).symlink_to(tmp_path / "elsewhere.plan")
    with pytest.raises(UsageError):
        plan_named(state, NAME)
