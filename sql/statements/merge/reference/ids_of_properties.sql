-- why: an id that looks like one that Excel changed is right if the API has it
from staging.api_properties
