-- why: a plan that changes a large share of a type needs consent
select assessment_type_id, count(*) from schedules group by all
