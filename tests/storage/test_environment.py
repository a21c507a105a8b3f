"""Variables that only the library knows change no request: propsync goes by those of its documentation."""

from __future__ import annotations

import pytest
from kit.fault_proxy import Fault, FaultProxy
from kit.stores import Store

from propsync.errors import StorageAway
from propsync.storage.objects import ObjectStorage

from .conftest import QUICK

STRAY = {
    "AWS_SKIP_SIGNATURE": "true",
    "AWS_ALLOW_HTTP": "true",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
    "AWS_BUCKET": "another",
    "AWS_REGION": "eu-north-1",
    "AZURE_SKIP_SIGNATURE": "true",
    "AZURE_STORAGE_USE_EMULATOR": "true",
    "AZURE_USE_FABRIC_ENDPOINT": "true",
    "AZURE_CONTAINER_NAME": "another",
}
KEYS = {
    "s3": {"AWS_ACCESS_KEY_ID": "a-key", "AWS_SECRET_ACCESS_KEY": "a-secret-of-the-tests"},
    "az": {"AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_STORAGE_ACCOUNT_KEY": "bm90IGEga2V5"},
}


@pytest.mark.parametrize("scheme", ["s3", "az"])
def test_stray_variables_change_no_request(scheme: str, monkeypatch: pytest.MonkeyPatch):
    for name, value in STRAY.items():
        monkeypatch.setenv(name, value)
    with FaultProxy("http://127.0.0.1:1") as proxy:
        proxy.always(Fault.BROKEN)
        storage = ObjectStorage(Store(scheme, proxy.url, KEYS[scheme]).access("folder"), QUICK)
        with pytest.raises(StorageAway):
            storage.put("a", b"x")
    assert proxy.requests
    for request in proxy.requests:
        assert request.path.endswith("/propsync-tests/folder/a")
        assert "eu-north-1" not in request.headers["authorization"]
        assert request.headers["authorization"].split()[0] in ("AWS4-HMAC-SHA256", "SharedKey")
