-- why: a column that the data once had remains, with or without a value in what is merged again
select schema_name, layout.table_name, layout.column_name, columns.type, layout.comment, table_comment
from staging.layout as layout
join ops.columns as columns
  on columns.table_schema = schema_name
  and columns.table_name = layout.table_name
  and columns.column_name = layout.column_name
order by schema_name, layout.table_name, column_index
