"""Which parts of propsync there are to be asked about."""

from __future__ import annotations

from typing import Any

import propsync.runbooks
from propsync.settings import load_settings

_rebuild: Any = getattr(propsync.runbooks, "rebuild", None)
HAS_DELETES = False
HAS_RETENTION = False


def _rebuilt(environ: dict[str, str]) -> Any:
    return _rebuild(load_settings(environ=environ))


rebuild = _rebuilt if _rebuild is not None else None
