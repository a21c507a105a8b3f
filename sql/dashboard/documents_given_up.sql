-- title: Failed, and not asked for any more
-- of: main.documents
-- why: documents that failed, and that propsync does not ask for again. Only a backup can have a lost file among them
select
  documents.kind,
  documents.state,
  documents.assessment_id as assessment,
  case
    when assessments.assessment_id is null then 'the API no longer has the assessment'
    when documents.version is not null then 'a later version took its place'
    else 'its kind, or the status of its assessment, is not archived now'
  end as why,
  documents.last_error,
  documents.asked_at as last_asked
from main.documents
left join main.assessments using (assessment_id)
left join marts.document_coverage as lacking
  on lacking.assessment_id = documents.assessment_id and lacking.kind = documents.kind
where documents.last_error is not null
  and documents.state not in ('missing', 'removed', 'erased')
  and (
    assessments.assessment_id is null
    or not if(documents.version is null, lacking.kind is not null, documents.is_latest)
  )
order by why, documents.kind, documents.assessment_id, documents.version
