-- why: the columns of a table that exist because the data has them, in order of appearance
select source, column_name, type
from ops.columns
where table_schema = $schema and table_name = $table
order by first_run_id, column_name
