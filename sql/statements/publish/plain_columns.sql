-- why: programs read neither JSON nor times of day, and each guesses at lists and zones in its own way. The $form flat is
-- for people's programs: local times, joined lists, no JSON. The $form delta is for engines: moments in UTC, JSON as text.
-- No form has the columns in $left_out
with columns as (
  select
    schema_name,
    table_name,
    column_index,
    regexp_replace(data_type, '(\[\d*\])+$', '') as kind,
    data_type like '%]' as is_list,
    regexp_matches(kind, '^(JSON|VARIANT|STRUCT\(|MAP\(|UNION\()') as is_nested,
    '"' || replace(column_name, '"', '""') || '"' as name
  from duckdb_columns()
  where not internal and database_name = current_database() and list_contains($schemas, schema_name)
    and not list_contains($left_out, schema_name || '.' || table_name || '.' || column_name)
),

written as (
  select
    schema_name,
    table_name,
    column_index,
    name,
    case
      when $form = 'delta' and kind = 'JSON' and not is_list then name || '::varchar'
      when $form = 'delta' and (is_list or is_nested) then 'to_json(' || name || ')::varchar'
      when is_list then 'array_to_string(' || name || ', ''; '')'
      when kind = 'TIMESTAMP WITH TIME ZONE' and $form = 'flat' then 'timezone(' || $zone || ', ' || name || ')'
      when kind in ('TIME', 'TIME WITH TIME ZONE') then 'left(' || name || '::varchar, 8)'
      when kind = 'INTERVAL' then name || '::varchar'
      -- what Delta has no type for: moments without a zone, numbers without a sign or with more than 38 digits
      when $form = 'flat' or kind in ('TIMESTAMP WITH TIME ZONE', 'DATE', 'VARCHAR', 'BOOLEAN', 'BLOB') then name
      when kind in ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'FLOAT', 'DOUBLE') or kind like 'DECIMAL%' then name
      when kind in ('UTINYINT', 'USMALLINT') then name || '::integer'
      when kind = 'UINTEGER' then name || '::bigint'
      else name || '::varchar'
    end as expression
  from columns
  where $form = 'delta' or not is_nested
)

select schema_name, table_name, string_agg(expression || ' as ' || name, ', ' order by column_index) as columns
from written
group by all
order by all
