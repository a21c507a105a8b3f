-- why: a copy without assessments has schedules of types that no list names
select distinct assessment_type_id from schedules
