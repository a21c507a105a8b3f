-- grain: assessment_id
-- why: an assessment that was approved and is no more still shows that its property must have one
with approved as (
  select assessment_id, payload, valid_from
  from history.assessments
  anti join (from main.assessments where status = 'approved') using (assessment_id)
  where status = 'approved' and change not in ('delete', 'erase')
)
select * from approved
qualify row_number() over (partition by assessment_id order by valid_from desc) = 1
