-- title: Documents that are lacking
-- of: main.documents
-- why: reports and bundles of approved assessments that propsync does not have, and why
select
  lacking.kind,
  lacking.reason,
  coalesce(properties.property_label, properties.property_name, lacking.property_id) as property,
  coalesce(types.type_label, lacking.assessment_type_id) as assessment_type,
  lacking.assessment_id as assessment,
  lacking.last_error
from marts.document_coverage as lacking
-- the last archive run may have found an assessment that the API has deleted since
semi join main.assessments on assessments.assessment_id = lacking.assessment_id
left join marts.properties on properties.property_id = lacking.property_id
left join (select assessment_type_id, type_label from main.assessment_types) as types on types.assessment_type_id = lacking.assessment_type_id
order by lacking.reason, lacking.kind, property, lacking.assessment_id
