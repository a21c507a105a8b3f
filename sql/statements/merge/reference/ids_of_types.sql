-- why: a requirement can only name a type that the API has or has had
select assessment_type_id from main.assessment_types
union
select assessment_type_id from main.schedules
union
select assessment_type_id from main.assessments where assessment_type_id is not null
