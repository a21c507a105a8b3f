-- grain: assessment_id
-- why: what to derive anew: assessments with a new version
select distinct assessment_id from history.assessments where valid_from > $built_through::timestamptz
