-- why: a check runs if this run, or one without checks, changed a table that it reads
select table_schema, table_name
from ops.tables
where changed_run_id = $run_id or changed_run_id > $since
