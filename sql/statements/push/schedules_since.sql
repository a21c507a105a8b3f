-- why: a file from before lacks the schedules that were made since, and its author has not seen them
select property_id, assessment_type_id from schedules where first_seen_at > $at
