-- severity: warn
-- why: a list with another system's ids, such as UPRNs, or with ids that lost their zeros, fits no record. So nothing has
-- its names and homes, and compliance counts each of its rows as one more property. A short list may have mistyped ids alone
with properties as (
  select property_id, in_list, in_api from marts.properties
)
select
  min(property_id) filter (where in_list) as listed_id,
  min(property_id) filter (where in_api) as api_id
from properties
having count(*) filter (where in_list) >= 5 and count(*) filter (where in_api) > 0 and not bool_or(in_list and in_api)
