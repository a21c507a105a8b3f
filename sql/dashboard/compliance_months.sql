-- title: Compliance by month
-- of: marts.compliance_days
-- why: how many required assessments were in which state at each month end of a year and today, as known then. If the last
-- read by then was not complete, the counts are those of the last complete read
select
  day,
  coalesce(any_value(type_label), any_value(assessment_type), assessment_type_id) as assessment_type,
  sum(properties_in_date)::bigint as in_date,
  sum(properties_due_soon)::bigint as due_soon,
  sum(properties_unknown)::bigint as unknown,
  sum(properties_out_of_date)::bigint as out_of_date,
  any_value(complete_read_on) as last_complete_read,
  assessment_type_id
from marts.compliance_days
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
where (is_month_end or day = (select max(day) from marts.compliance_days))
  and day > (select max(day) from marts.compliance_days) - interval 1 year
group by day, assessment_type_id
order by assessment_type_id, day
