-- why: a version closes with the run that saw the next one
update history.{{table}} as versions
set valid_to = $run_time
from staging.changed as changed
where versions.valid_to is null and {{is_same}}
