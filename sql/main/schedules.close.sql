-- grain: property_id, assessment_type_id
-- why: rows of schedules that changed are made anew
select property_id, assessment_type_id from staging.dirty_schedules
