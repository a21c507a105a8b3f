-- why: a name may have passed from one assessment type to another, and [desk] still means the first
select distinct name, before
from ops.schema_changes
where resource = 'assessment_types' and change = 'assessment type renamed'
order by all
