-- why: propsync replaces the rows of a version as a whole, so that reading twice equals reading once
delete from history.bundle_actions
where (assessment_id, document_sha256) in (
  select documents.assessment_id, documents.sha256
  from main.documents as documents
  join (select unnest($assessment_ids) as assessment_id, unnest($hashes) as sha256) as read
    on read.assessment_id = documents.assessment_id
    and read.sha256 = coalesce(documents.same_text_as, documents.sha256)
  where documents.kind = 'bundle'
)
