-- severity: fail
-- why: a current table holds exactly the latest versions that are not gone
with latest as (
  select assessment_id from history.assessments where valid_to is null and change <> 'delete'
),
kept as (
  select assessment_id from main.assessments
)
select assessment_id
from latest
full join kept using (assessment_id)
where latest.assessment_id is null or kept.assessment_id is null
