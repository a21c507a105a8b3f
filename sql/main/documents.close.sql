-- grain: assessment_id, kind
-- why: all rows of what was asked for are made anew, so that one of them is the latest
select assessment_id, kind from staging.taken_documents
