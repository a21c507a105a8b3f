-- why: a check that compares gives a value for each subject, and the total that it is a part of
select {{name}} as check_name, subject::varchar as subject, value::double as value, total::double as total
from (
{{check}}
)
