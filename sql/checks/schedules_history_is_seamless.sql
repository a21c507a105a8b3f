-- severity: fail
-- why: the versions of a key follow one another without gap or overlap, and one is open
with versions as (
  select
    property_id, assessment_type_id,
    valid_from,
    valid_to,
    lead(valid_from) over (partition by property_id, assessment_type_id order by valid_from) as next_from
  from history.schedules
)
select property_id, assessment_type_id, valid_from, valid_to
from versions
where valid_to is distinct from next_from or valid_to <= valid_from
