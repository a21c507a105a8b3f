-- why: Power BI, pandas and other programs read neither JSON nor lists, and each guesses at times and zones in its own way
with columns as (
  select
    schema_name,
    table_name,
    column_index,
    regexp_replace(data_type, '(\[\d*\])+$', '') as kind,
    data_type like '%]' as is_list,
    '"' || replace(column_name, '"', '""') || '"' as name
  from duckdb_columns()
  where not internal and database_name = current_database() and schema_name in ('main', 'marts', 'by_type')
),

written as (
  select
    schema_name,
    table_name,
    column_index,
    name,
    case
      when is_list then 'array_to_string(' || name || ', ''; '')'
      when kind = 'TIMESTAMP WITH TIME ZONE' then 'timezone(' || $zone || ', ' || name || ')'
      when kind in ('TIME', 'TIME WITH TIME ZONE') then 'left(' || name || '::varchar, 8)'
      when kind = 'INTERVAL' then name || '::varchar'
      else name
    end as expression
  from columns
  where not regexp_matches(kind, '^(JSON|VARIANT|STRUCT\(|MAP\(|UNION\()')
)

select schema_name, table_name, string_agg(expression || ' as ' || name, ', ' order by column_index) as columns
from written
group by all
order by all
