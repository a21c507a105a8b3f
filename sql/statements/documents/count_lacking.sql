-- why: a bag of documents says how many more propsync wanted and has not, or has only as they were before. Nobody can
-- add those that the API does not have; the export itself counts lost files
select count(*)
from marts.document_coverage
where reason not in ('missing in the API', 'lost') and (len($properties) = 0 or list_contains($properties, property_id))
