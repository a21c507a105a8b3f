-- severity: warn
-- why: if no assessment has the id of a type that the API lists, they name their types otherwise and join nothing
with typed as (
  select assessment_type_id, coalesce(assessment_types.is_listed, false) as is_listed
  from main.assessments
  left join main.assessment_types using (assessment_type_id)
  where assessment_type_id is not null and exists (from main.assessment_types)
)
select assessment_type_id, count(*) as assessments
from typed
where not (select bool_or(is_listed) from typed)
group by assessment_type_id
order by assessment_type_id
