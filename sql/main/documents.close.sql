-- grain: assessment_id, kind
-- why: propsync makes all rows of a requested document again, so that one of them is the latest
select assessment_id, kind from staging.taken_documents
