-- title: Documents that failed
-- of: main.documents
-- why: documents that came damaged or not at all the last time that propsync asked, or whose file was lost since
select kind, state, assessment_id as assessment, last_error, due_at as asked_again
from main.documents
where last_error is not null
order by state, kind, assessment_id
