-- why: propsync reports the issues of a bundle's CSVs again with its rows
delete from ops.value_issues
where resource = 'documents' and record_id in (select unnest($assessment_ids)) and list_contains($names, name)
