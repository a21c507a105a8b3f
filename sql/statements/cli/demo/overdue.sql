-- why: a list of people's own beside the API's records
select s.due_date as due, t.name as assessment, p.name as property
from schedules as s
join properties as p using (property_id)
join assessment_types as t using (assessment_type_id)
where s.due_date < current_date
order by all
limit 5
