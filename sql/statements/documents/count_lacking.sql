-- why: a bag of documents says how many more propsync wanted and has not, or has only as they were before
select count(*)
from marts.document_coverage
where len($properties) = 0 or list_contains($properties, property_id)
