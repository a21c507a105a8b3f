"""`propsync serve`: a local Prefect server, a worker and the deployments, for people who have no Prefect.

No module here imports prefect: they start its program as people would, and talk to its server over loopback.
"""

from propsync.serving.place import Place, check_config
from propsync.serving.service import Service

__all__ = ["Place", "Service", "check_config"]
