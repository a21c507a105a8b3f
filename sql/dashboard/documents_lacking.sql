-- title: Documents that are lacking
-- of: main.documents
-- why: reports and bundles of approved assessments that propsync does not have, and why
select kind, reason, property_id as property, name as assessment_type, assessment_id as assessment, last_error
from marts.document_coverage
left join main.assessment_types using (assessment_type_id)
order by reason, kind, property_id, assessment_id
