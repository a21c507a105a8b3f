"""The dashboard: one page that a person reads each morning, made from the marts."""

from propsync.desk.dashboard.headlines import note_headlines
from propsync.desk.dashboard.page import Dashboard, draw

__all__ = ["Dashboard", "draw", "note_headlines"]
