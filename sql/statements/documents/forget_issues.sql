-- why: what was told of a bundle's CSVs is told again with its rows
delete from ops.value_issues
where resource = 'documents' and record_id in (select unnest($assessment_ids)) and name = $name
