-- why: a check runs where a table that it reads was changed by this run, or by one that was not checked
select table_schema, table_name
from ops.tables
where changed_run_id = $run_id or changed_run_id > $since
