-- why: the state counts on the second file's versions up to here
select max(valid_from)::varchar from hidden.records where resource = $resource
