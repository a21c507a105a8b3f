-- title: Issues in your own lists
-- of: ops.runs
-- why: mistakes in the lists that propsync.toml names, cells that count as empty, and ids that only a list or only the API has
select list, issue, record_id as id, line, is_mistake as mistake
from ops.reference_issues
order by is_mistake desc, list, line, record_id
