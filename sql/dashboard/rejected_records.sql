-- title: Records that propsync could not read
-- of: ops.run_resources
-- why: records without a usable id, nested too deep or replaced by an error in the last read of each list; their earlier versions stay
select resource, list, position, reason
from ops.rejected_records
where (resource, run_id) in (select resource, max(run_id) from ops.run_resources group by resource)
order by resource, list, position
