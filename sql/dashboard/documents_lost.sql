-- title: Documents that failed
-- of: main.documents
-- why: documents that propsync still asks for, and that came damaged or not at all the last time, or whose file was lost since
select
  documents.kind,
  documents.state,
  coalesce(properties.property_label, properties.property_name, assessments.property_id) as property,
  documents.assessment_id as assessment,
  documents.last_error,
  documents.due_at as asked_again_from
from main.documents
join main.assessments using (assessment_id)
left join marts.document_coverage as lacking
  on lacking.assessment_id = documents.assessment_id and lacking.kind = documents.kind
left join marts.properties on properties.property_id = assessments.property_id
where documents.last_error is not null
  and documents.state not in ('missing', 'removed', 'erased')
  and if(documents.version is null, lacking.kind is not null, documents.is_latest)
order by documents.state, documents.kind, documents.assessment_id
