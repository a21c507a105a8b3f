-- why: the result of a rebuild for a resource: its records that are not gone, and all its versions
select count(*) filter (valid_to is null and change not in ('delete', 'erase')) as records, count(*) as versions
from history.{{resource}}
