-- title: Due by week and assignee
-- of: marts.schedule_assignees
-- why: how many assessments each person has due in each week, which begins on Monday
select
  if(user_name is null, coalesce('user ' || user_id, 'nobody'), user_label) as assignee,
  date_trunc('week', due_date)::date as week_from,
  count(*) as due,
  is_assigned as assigned,
  user_id
from marts.schedule_assignees
where due_band in ('due in 30 days', 'due in 60 days', 'due in 90 days')
group by user_id, user_name, user_label, is_assigned, week_from
order by assignee, user_id, week_from
