-- grain: assessment_id
-- why: rows of assessments that changed are made anew
select assessment_id from staging.dirty_assessments
