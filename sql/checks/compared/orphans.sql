-- severity: warn
-- why: many more records of a type that the API does not list point to a lost list
-- direction: up
-- share: 0.05
-- floor: 20
select
  'assets without a listed type' as subject,
  count_if(not coalesce(asset_types.is_listed, false)) as value,
  count(*) as total
from main.assets
left join main.asset_types using (asset_type_id)
union all
select 'assessments without a listed type', count_if(not coalesce(assessment_types.is_listed, false)), count(*)
from main.assessments
left join main.assessment_types using (assessment_type_id)
union all
select 'schedules without a listed type', count_if(not coalesce(assessment_types.is_listed, false)), count(*)
from main.schedules
left join main.assessment_types using (assessment_type_id)
