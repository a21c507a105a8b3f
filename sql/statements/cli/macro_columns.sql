-- why: the rows of `propsync query --describe` for a macro. A column means what the macro's own file says, else what it
-- means in a table that the macro reads
with described as (
  select column_name, column_type, row_number() over () as position
  from (describe from {{macro}}({{arguments}}))
),

known as (
  select column_name, min(comment) as meaning
  from duckdb_columns()
  where database_name = current_database() and schema_name || '.' || table_name in ({{tables}})
  group by all
)

select
  described.column_name as "column",
  column_type as "type",
  coalesce(json_extract_string({{meanings}}, '/' || described.column_name), meaning) as meaning
from described
left join known on known.column_name = described.column_name
order by position
