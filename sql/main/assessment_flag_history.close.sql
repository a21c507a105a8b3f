-- grain: assessment_id
-- why: the flag history of assessments that changed is made anew
select assessment_id from staging.dirty_assessments
