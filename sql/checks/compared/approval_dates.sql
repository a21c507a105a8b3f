-- severity: warn
-- why: an approval that loses its date counts from the run that first saw it
-- direction: down
-- share: 0.1
-- floor: 10
-- new: ignored
select
  'approvals of assessment type ' || assessment_type_id || ' with a date of their own' as subject,
  count_if(date_source <> 'first seen approved') as value,
  count(*) as total
from marts.schedule_status
where last_assessment_id is not null and assessment_type_id is not null
group by assessment_type_id
