-- why: a replaced column keeps its first run
update ops.columns as columns
set type = made.type, last_run_id = $run_id
from (
  select unnest($tables) as table_name, unnest($columns) as column_name, unnest($types) as type
) as made
where columns.table_schema = 'by_type'
  and columns.table_name = made.table_name
  and columns.column_name = made.column_name
