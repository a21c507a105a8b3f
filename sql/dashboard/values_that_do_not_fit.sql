-- title: Values that do not fit
-- of: ops.runs
-- why: values that the API sent and that no typed column can hold, such as a text in a number field
select resource, record_id as record, name as field, issue, value
from ops.value_issues
order by resource, name, issue, record_id
