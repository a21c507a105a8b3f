"""How hypothesis searches: the same examples every time, however busy the machine is.

`HYPOTHESIS=explore` looks at new ones, and at many more of them.
"""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", settings.get_profile("steady"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS", "steady"))
