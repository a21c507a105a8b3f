"""The password of a service: new at each start, and for its own account alone."""

import os

from propsync.serving.login import Login


def test_each_start_has_a_password_of_its_own_which_no_representation_shows():
    one, other = Login(), Login()
    assert one.words != other.words
    assert len(one.words) > 40
    assert one.words not in repr(one) + str(one)


def test_its_files_are_for_nobody_else_whatever_the_umask_and_the_files_before(tmp_path):
    page, client = tmp_path / "login", tmp_path / "client.env"
    page.write_text("old")
    page.chmod(0o644)
    before = os.umask(0)
    try:
        login = Login()
        login.keep(page, client, "http://127.0.0.1:4200/api")
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (page, client)} == {0o600}
    assert page.read_text() == f"{login.words}\n"
    assert client.read_text().splitlines() == [
        "export PREFECT_API_URL=http://127.0.0.1:4200/api",
        f"export PREFECT_API_AUTH_STRING={login.words}",
    ]
