-- why: a bag of documents says how many more propsync wanted and has not, or has only as they were before. Nobody can
-- add those that the API does not have
select count(*)
from marts.document_coverage
where reason <> 'missing in the API' and (len($properties) = 0 or list_contains($properties, property_id))
