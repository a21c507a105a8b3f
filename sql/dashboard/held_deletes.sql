-- title: Records that may be deleted
-- of: ops.run_resources
-- why: records that the API no longer lists; propsync keeps them until somebody runs propsync sync --accept-deletes RUN
select resource, record_id as record, reason, run_id as run
from ops.held_deletes
order by resource, record_id
