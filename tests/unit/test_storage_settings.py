"""The settings of a bucket: its address, and credentials from variables and files of the ecosystem, never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from propsync.errors import SettingsError
from propsync.settings import StorageAccess, load_settings
from propsync.settings.storage_access import VARIABLES, split_url, storage_access

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "s3cret-of-the-bucket"}
AZURE = {"AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_STORAGE_ACCOUNT_KEY": "s3cret-of-azure"}
APP = {"AZURE_CLIENT_ID": "id", "AZURE_CLIENT_SECRET": "s3cret-of-the-app", "AZURE_TENANT_ID": "tenant"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def access(home: Path, url: str = "s3://bucket/folder", **variables: str) -> StorageAccess | None:
    environ = {"PROPSYNC_HOME": str(home), "HOME": str(home), "PROPSYNC_STORAGE_URL": url}
    return load_settings(environ=environ | variables).storage()


def options(home: Path, url: str = "s3://bucket/folder", **variables: str) -> dict[str, str]:
    found = access(home, url, **variables)
    assert found is not None
    return dict(found.options)


def refused(home: Path, url: str = "s3://bucket/folder", **variables: str) -> str:
    with pytest.raises(SettingsError) as caught:
        access(home, url, **variables)
    assert caught.value.exit_code == 2
    message = str(caught.value)
    assert "s3cret" not in message
    return message


def test_without_an_address_there_is_no_bucket(home: Path):
    assert load_settings(environ={"PROPSYNC_HOME": str(home)} | KEYS).storage() is None


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("s3://bucket", ("s3", "bucket", "")),
        ("s3://bucket/", ("s3", "bucket", "")),
        ("s3://bucket/a/b/", ("s3", "bucket", "a/b")),
        ("az://container/a b", ("az", "container", "a b")),
    ],
)
def test_an_address_is_a_bucket_and_a_folder(url: str, parts: tuple[str, str, str]):
    assert split_url(url) == parts


WRONG = [
    "bucket", "/folder", "s3:/bucket", "s3://", "s3:///folder", "gs://bucket", "https://bucket.s3.amazonaws.com",
    "S4://bucket", "s3://key:s3cret@bucket/a", "s3://bucket/a?x=s3cret", "s3://bucket/a#b", "s3://bucket//a",
    "s3://bucket/a/../b", "s3://bucket/./a", "s3://[bucket", "s3://bucket:9000/a", "s3://bu cket/a", "s3://bucket/a\\b",
    "s3://bucket/a\x01b",
]  # fmt: skip


@pytest.mark.parametrize("url", WRONG)
def test_another_address_is_refused_with_the_form_to_give(home: Path, url: str):
    message = refused(home, url, **KEYS)
    assert message.startswith("PROPSYNC_STORAGE_URL (environment): ")
    assert "Give s3://bucket/folder or az://container/folder, or leave it out" in message


@drawn(st.text(max_size=60), st.dictionaries(st.sampled_from(VARIABLES[:-1]), st.text(min_size=1, max_size=20)))
def test_any_text_is_taken_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, text: str, given: dict[str, str]
):
    home = tmp_path_factory.getbasetemp() / "no such home"
    for url in (text, f"s3://{text}", f"az://container/{text}"):
        try:
            access(home, url, **given)
            message = "taken"
        except SettingsError as error:
            message = str(error)
        assert len(message.splitlines()) == 1


def test_the_variables_of_s3_are_those_of_its_own_tools(home: Path):
    given = KEYS | {"AWS_SESSION_TOKEN": "s3cret-token", "AWS_REGION": "eu-west-2"}
    assert options(home, **given) == {
        "access_key_id": "key",
        "secret_access_key": "s3cret-of-the-bucket",
        "session_token": "s3cret-token",
        "region": "eu-west-2",
    }
    assert options(home, **KEYS)["region"] == "us-east-1"
    assert options(home, **KEYS, AWS_DEFAULT_REGION="eu-west-1")["region"] == "eu-west-1"
    both = {"AWS_REGION": "eu-west-2", "AWS_DEFAULT_REGION": "eu-west-1"}
    assert options(home, **KEYS, **both)["region"] == "eu-west-2", "the more particular one wins"
    endpoints = {"AWS_ENDPOINT_URL": "https://all.example.org", "AWS_ENDPOINT_URL_S3": "https://s3.example.org"}
    assert options(home, **KEYS, **endpoints)["endpoint"] == "https://s3.example.org"


@pytest.mark.parametrize(
    "given",
    [AZURE, {"AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_STORAGE_SAS_TOKEN": "sv=1&sig=s3cret"}, AZURE | APP],
)
def test_the_variables_of_azure_are_those_of_its_own_tools(home: Path, given: dict[str, str]):
    found = access(home, "az://container/folder", **given)
    assert found is not None
    assert found.options["account_name"] == "account"
    assert set(found.options.values()) == set(given.values())


@pytest.mark.parametrize(
    ("url", "given", "advice"),
    [
        ("s3://b/f", {}, "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"),
        ("s3://b/f", {"AWS_ACCESS_KEY_ID": "key"}, "Set AWS_ACCESS_KEY_ID and"),
        ("s3://b/f", {"AWS_SECRET_ACCESS_KEY": "s3cret"}, "Set AWS_ACCESS_KEY_ID and"),
        ("s3://b/f", AZURE, "Set AWS_ACCESS_KEY_ID and"),
        ("az://b/f", KEYS, "Set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY"),
        ("az://b/f", {"AZURE_STORAGE_ACCOUNT_KEY": "s3cret"}, "or PROPSYNC_STORAGE_IDENTITY=instance"),
        ("az://b/f", {"AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_CLIENT_ID": "id"}, "Set AZURE_STORAGE_ACCOUNT"),
    ],
)
def test_credentials_that_are_not_whole_are_refused(home: Path, url: str, given: dict[str, str], advice: str):
    message = refused(home, url, **given)
    assert message.startswith("PROPSYNC_STORAGE_URL: it has no whole credentials. ")
    assert advice in message


def test_only_the_identity_of_the_machine_makes_up_for_them(home: Path):
    assert options(home, PROPSYNC_STORAGE_IDENTITY="instance") == {"region": "us-east-1"}
    message = refused(home, PROPSYNC_STORAGE_IDENTITY="machine")
    assert "Give instance, or leave it out and set the credentials" in message


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_profile_of_aws_gives_what_no_variable_does(home: Path):
    write(home / ".aws/credentials", "[default]\naws_access_key_id = d\naws_secret_access_key = s3cret-d\n[work]\n"
          "aws_access_key_id=w\naws_secret_access_key=s3cret%w\naws_session_token = s3cret-t\n")  # fmt: skip
    write(home / ".aws/config", "[default]\nregion = eu-west-1\noutput = json\n[profile work]\nregion = eu-west-2\n")
    assert options(home) == {"access_key_id": "d", "secret_access_key": "s3cret-d", "region": "eu-west-1"}
    work = options(home, AWS_PROFILE="work")
    assert work == {
        "access_key_id": "w",
        "secret_access_key": "s3cret%w",
        "session_token": "s3cret-t",
        "region": "eu-west-2",
    }
    assert options(home, AWS_PROFILE="work", AWS_REGION="eu-north-1")["region"] == "eu-north-1"
    assert options(home, **KEYS)["access_key_id"] == "key"
    refused(home, AWS_PROFILE="nobody")


def test_credentials_never_come_half_from_a_variable_and_half_from_a_file(home: Path):
    write(home / ".aws/credentials", "[default]\naws_access_key_id = d\naws_secret_access_key = s3cret-d\n"
          "aws_session_token = s3cret-t\n")  # fmt: skip
    assert options(home, AWS_SECRET_ACCESS_KEY="s3cret-of-another")["secret_access_key"] == "s3cret-d"
    assert options(home, AWS_SESSION_TOKEN="s3cret-of-another")["session_token"] == "s3cret-t"
    assert "session_token" not in options(home, **KEYS)
    assert "no whole credentials" in refused(home, AWS_ACCESS_KEY_ID="key")


def test_the_files_of_aws_may_be_elsewhere_and_must_be_readable(home: Path, tmp_path: Path):
    credentials = write(tmp_path / "one", "[default]\naws_access_key_id = e\naws_secret_access_key = s3cret-e\n")
    config = write(tmp_path / "two", "[default]\nregion = eu-west-3\nendpoint_url = https://s3.example.org\n")
    places = {"AWS_SHARED_CREDENTIALS_FILE": str(credentials), "AWS_CONFIG_FILE": str(config)}
    assert options(home, **places) == {
        "access_key_id": "e",
        "secret_access_key": "s3cret-e",
        "region": "eu-west-3",
        "endpoint": "https://s3.example.org",
    }
    credentials.write_text("aws_secret_access_key = s3cret-without-a-section\n")
    assert f"{credentials} cannot be read. Correct that file" in refused(home, **places)
    credentials.write_bytes(b"[default]\n\xff\xfe")
    assert f"{credentials} cannot be read" in refused(home, **places)


LOOPBACK = ["http://127.0.0.1:4566", "http://localhost:9000/", "http://[::1]:9000", "http://127.1.2.3"]
ELSEWHERE = [
    "http://10.0.0.1:9000",
    "http://minio:9000",
    "http://localhost.example.org",
    "http://0.0.0.0:1",
    "HTTP://10.0.0.1",
]
ODD = [
    "ftp://127.0.0.1",
    "127.0.0.1:9000",
    "https://",
    "https://user:s3cret@example.org",
    "http://[::1",
    "https://h:port",
]


@pytest.mark.parametrize("endpoint", LOOPBACK)
def test_plain_http_is_for_this_computer(home: Path, endpoint: str):
    found = access(home, **KEYS, AWS_ENDPOINT_URL=endpoint)
    assert found is not None
    assert (found.is_plain, found.options["endpoint"]) == (True, endpoint.rstrip("/"))
    secure = access(home, **KEYS, AWS_ENDPOINT_URL="https://minio.example.org:9000")
    assert secure is not None
    assert not secure.is_plain


@pytest.mark.parametrize("endpoint", ELSEWHERE + ODD)
def test_another_endpoint_is_refused(home: Path, endpoint: str):
    assert refused(home, **KEYS, AWS_ENDPOINT_URL=endpoint).startswith("AWS_ENDPOINT_URL: ")
    assert refused(home, **KEYS, AWS_ENDPOINT=endpoint).startswith("AWS_ENDPOINT_URL: "), "obstore reads it too"
    named = refused(home, "az://c/f", **AZURE, AZURE_STORAGE_ENDPOINT=endpoint)
    assert named.startswith("AZURE_STORAGE_ENDPOINT: ")


def test_secrets_are_in_no_text_of_the_settings(home: Path):
    for url, given in (("s3://b/f", KEYS | {"AWS_SESSION_TOKEN": "s3cret-token"}), ("az://b/f", AZURE | APP)):
        environ = {"PROPSYNC_HOME": str(home), "PROPSYNC_STORAGE_URL": url} | given
        settings = load_settings(environ=environ)
        found = settings.storage()
        assert found is not None
        assert sorted(found.secrets) == sorted(value for value in given.values() if "s3cret" in value)
        texts = [repr(settings), str(settings), settings.model_dump_json(), repr(found), str(found)]
        assert not [text for text in texts if "s3cret" in text]


def test_the_signature_of_a_sas_token_is_a_secret_of_its_own():
    given = {"AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_STORAGE_SAS_TOKEN": "?sv=1&sig=s3cr%2Fet%3D&se=2"}
    assert storage_access("az://b/f", given, is_instance=False).secrets == ["?sv=1&sig=s3cr%2Fet%3D&se=2", "s3cr/et="]


def test_a_variable_of_the_bucket_in_propsync_toml_is_refused_unseen(home: Path):
    write(home / "propsync.toml", 'aws_secret_access_key = "s3cret"\n')
    assert "aws_secret_access_key" in refused(home, **KEYS)
