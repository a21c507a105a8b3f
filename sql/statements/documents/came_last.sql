-- why: documents that the API had when propsync last requested them: if others are gone, these show whether any are left
select
  documents.assessment_id,
  documents.kind,
  present.changed_at,
  documents.sha256,
  documents.path,
  coalesce(documents.same_text_as, documents.sha256) as same_text_as
from main.documents as documents
join {{assessments}} as present on present.assessment_id = documents.assessment_id
where documents.is_latest
  and documents.state = 'stored'
  and list_contains($kinds, documents.kind)
  and staging.is_among(present.status, $statuses)
  and documents.asked_at < $began
  and not exists (
    from main.documents as failing
    where failing.assessment_id = documents.assessment_id and failing.kind = documents.kind and failing.version is null
  )
order by documents.asked_at desc, documents.assessment_id, documents.kind
limit $most
