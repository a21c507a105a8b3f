"""`propsync serve`: a local Prefect server, a worker and the deployments, for those who have no Prefect.

Nothing here imports prefect: its program is started as people would start it, and its server asked over loopback.
"""

from propsync.serving.place import Place, check_config
from propsync.serving.service import Service

__all__ = ["Place", "Service", "check_config"]
