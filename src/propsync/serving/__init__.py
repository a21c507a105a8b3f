"""`propsync serve`: a local Prefect server, a worker and the deployments, for those who have no Prefect.

Nothing here imports prefect: its program is started as people would start it, and its server asked over loopback.
"""

from propsync.serving.place import Place, check_config
from propsync.serving.service import Service, StopAsked, stop_on_signals

__all__ = ["Place", "Service", "StopAsked", "check_config", "stop_on_signals"]
