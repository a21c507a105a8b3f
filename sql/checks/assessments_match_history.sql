-- severity: fail
-- why: a current table holds exactly the latest versions that are not gone
with latest as (
  select assessment_id from history.assessments where valid_to is null and change <> 'delete'
)
(select assessment_id from latest except all select assessment_id from main.assessments)
union all
(select assessment_id from main.assessments except all select assessment_id from latest)
