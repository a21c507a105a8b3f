-- title: Documents that changed later
-- of: main.documents
-- why: documents that the API once gave with another content; propsync keeps every version
select kind, assessment_id as assessment, version, fetched_at as fetched, same_text_as is not null as only_bytes_differ
from main.documents
where version > 1 and is_latest
order by fetched_at desc, assessment_id, kind
