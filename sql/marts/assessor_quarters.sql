-- grain: quarter, assessor, assessment_type_id
-- why: who performed how much of what in each quarter, for the organisation and by it. Nobody has done what is dated after
-- today
with performed as (
  select
    dated.assessment_type_id,
    dated.performed_on,
    {{assessor_id}} as assessor_id,
    {{assessor_name}} as assessor_name,
    assessments.performed_for,
    assessments.performed_by
  from staging.dated_assessments as dated
  join main.assessments as assessments on assessments.assessment_id = dated.assessment_id
  where staging.is_approved(dated.status) and dated.performed_on <= $today
),
counted as (
  select
    date_trunc('quarter', performed_on)::date as quarter_began_on,
    coalesce(assessor_id, assessor_name) as assessor,
    assessment_type_id,
    max(assessor_name) as assessor_name,
    count(*) as done,
    count(*) filter (performed_for) as done_for_us,
    count(*) filter (performed_by) as done_by_us
  from performed
  group by quarter_began_on, assessor, assessment_type_id
)
select
  year(counted.quarter_began_on) || ' Q' || quarter(counted.quarter_began_on) as quarter,
  counted.quarter_began_on,
  counted.assessor,
  coalesce(counted.assessor_name, users.name) as assessor_name,
  counted.assessment_type_id,
  types.name as assessment_type,
  counted.done,
  counted.done_for_us,
  counted.done_by_us
from counted
left join staging.listed_users as users on users.user_id = counted.assessor
left join (select assessment_type_id, name from main.assessment_types) as types on types.assessment_type_id = counted.assessment_type_id
