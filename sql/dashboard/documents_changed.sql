-- title: Documents that changed later
-- of: main.documents
-- why: documents that the API once gave with another content; propsync keeps every version. Only a present assessment has a
-- property here
select
  documents.kind,
  coalesce(properties.property_label, properties.property_name, assessments.property_id) as property,
  coalesce(types.type_label, assessments.assessment_type_id) as assessment_type,
  documents.assessment_id as assessment,
  documents.version,
  documents.fetched_at as fetched,
  documents.same_text_as is not null as only_bytes_differ
from main.documents
left join main.assessments using (assessment_id)
left join marts.properties on properties.property_id = assessments.property_id
left join (select assessment_type_id, type_label from main.assessment_types) as types on types.assessment_type_id = assessments.assessment_type_id
where documents.version > 1 and documents.is_latest
order by documents.fetched_at desc, documents.assessment_id, documents.kind
