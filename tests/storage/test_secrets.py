"""No message, log line or trace shows a secret of the bucket, whatever fails."""

from __future__ import annotations

import logging
import subprocess
import sys
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest
from kit.fault_proxy import Fault, FaultProxy
from kit.programs import environment
from kit.stores import Store, Stores, account_signature
from variants import slow

from propsync.errors import PropsyncError
from propsync.storage.objects import ObjectStorage

from .conftest import QUICK
from .test_faults import ALL

FAULTS = [Fault.BROKEN, Fault.CUT_BEFORE, Fault.LACKING]
SECRETS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_STORAGE_ACCOUNT_KEY")


def said_by(storage: ObjectStorage, file: Path) -> list[str]:
    """Everything that each verb's error shows, with the errors behind it."""
    said = [repr(storage), str(vars(storage))]
    for verb in ALL.values():
        with pytest.raises(PropsyncError) as caught:
            verb(storage, file)
        said += [str(caught.value), repr(caught.value), "".join(traceback.format_exception(caught.value))]
    return said


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ministack", *slow("azurite")])
def test_no_message_or_log_line_shows_a_key(
    stores: Stores, name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    file = tmp_path / "file"
    file.write_bytes(b"x")
    store = stores[name]
    caplog.set_level(logging.DEBUG)
    token = {"AWS_SESSION_TOKEN": "a-token-for-an-hour"} if store.scheme == "s3" else {}
    with FaultProxy(store.address) as proxy:
        behind = Store(store.scheme, store.address.replace(f"http://{proxy.target}", proxy.url), store.credentials)
        access = behind.access(**token)
        said = [repr(access), str(access)]
        for fault in FAULTS:
            proxy.always(fault)
            said += said_by(ObjectStorage(access, QUICK, 0.05), file)
    secrets = [*access.secrets, *(store.credentials.get(name, "") for name in SECRETS)]
    assert len([secret for secret in secrets if secret]) >= 2
    shown = "\n".join([*said, caplog.text])
    assert not [secret for secret in secrets if secret and (secret in shown or quote(secret, safe="") in shown)]


@pytest.mark.slow
def test_no_message_shows_the_signature_of_a_sas_token(stores: Stores, tmp_path: Path):
    store = stores["azurite"]
    times, version = ("2026-01-01T00:00:00Z", "2099-01-01T00:00:00Z"), "2021-08-06"
    name = store.credentials["AZURE_STORAGE_ACCOUNT_NAME"]
    fields = [name, "rwdlac", "b", "sco", *times, "", "https,http", version, "", ""]
    signed = account_signature("\n".join(fields))
    parts = {"sv": version, "ss": "b", "srt": "sco", "sp": "rwdlac", "st": times[0], "se": times[1]}
    parts |= {"spr": "https,http", "sig": signed}
    sas = "&".join(f"{key}={quote(value, safe='')}" for key, value in parts.items())
    token_alone = {"AZURE_STORAGE_ACCOUNT_KEY": "", "AZURE_STORAGE_SAS_TOKEN": sas}
    storage = ObjectStorage(store.access(**token_alone), QUICK)
    storage.put("a", b"x")
    assert storage.get("a") == b"x", "the token is good"
    (tmp_path / "file").write_bytes(b"x")
    with FaultProxy(store.address) as proxy:
        behind = Store("az", store.address.replace(f"http://{proxy.target}", proxy.url), store.credentials)
        proxy.always(Fault.CUT_BEFORE)
        shown = "\n".join(said_by(ObjectStorage(behind.access(**token_alone), QUICK, 0.05), tmp_path / "file"))
        assert any("sig=" in request.path for request in proxy.requests), "addresses do carry it"
    assert not [form for form in (signed, quote(signed, safe=""), quote(signed)) if form in shown]


PROGRAM = """
import logging
from datetime import timedelta
from propsync.settings import load_settings
from propsync.storage.objects import ObjectStorage
logging.basicConfig(level=logging.DEBUG)
storage = ObjectStorage(load_settings().storage(), {"max_retries": 0, "retry_timeout": timedelta(1)})
for verb in (lambda: storage.put("a", b"x"), lambda: storage.get("a"), lambda: list(storage.list(""))):
    try:
        verb()
    except Exception as error:
        logging.exception(f"{error!r}")
print(storage.tagged, storage._store)
"""


@pytest.mark.slow
def test_a_program_shows_no_key_at_debug_even_of_the_library(stores: Stores):
    store = stores["ministack"]
    gone = Store("s3", "http://127.0.0.1:1", store.credentials)
    for environ in (store.environ(), gone.environ()):
        everything = environment(RUST_LOG="trace", RUST_BACKTRACE="full", **environ)
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=everything, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert store.credentials["AWS_SECRET_ACCESS_KEY"] not in done.stdout + done.stderr
