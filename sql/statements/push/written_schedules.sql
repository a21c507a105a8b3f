-- why: what the tables show of written schedules, to compare with the plan
select property_id, assessment_type_id, due_date, description, custom_reference, assigned_users
from schedules
semi join (select unnest($properties) as property_id) as written using (property_id)
