"""The only reader of the environment: every setting, its bounds, and the source of its value.

A value comes from `PROPSYNC_<NAME>` (an empty one counts as unset), else from `<name>` in propsync.toml, else from
its default. Every failure is a `SettingsError` that names the setting, the value and the source.
"""

from propsync.settings.checks import legal_token
from propsync.settings.desk import PARTS, ROLES, DeskSettings
from propsync.settings.messages import settings_table
from propsync.settings.model import ApiAccess, Settings
from propsync.settings.privacy import HiddenLine
from propsync.settings.secret_file import read_secret
from propsync.settings.service import is_same_service
from propsync.settings.sources import CONFIG_NAME, load_settings, nearest_variable
from propsync.settings.storage_access import StorageAccess

__all__ = [
    "CONFIG_NAME",
    "PARTS",
    "ROLES",
    "ApiAccess",
    "DeskSettings",
    "HiddenLine",
    "Settings",
    "StorageAccess",
    "is_same_service",
    "legal_token",
    "load_settings",
    "nearest_variable",
    "read_secret",
    "settings_table",
]
