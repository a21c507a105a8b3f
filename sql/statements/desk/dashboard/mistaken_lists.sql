-- why: a list of yours with a mistake stays as it was before, and so do the states that rest on it. Without an earlier one,
-- nothing of it counts
with mistaken as (
  -- if the API has a list of the same name, yours is in a schema of its own
  select distinct list, if(resource is null, 'main', 'reference') as own_schema
  from ops.reference_issues
  left join ops.run_resources on resource = list
  where is_mistake
),
tables as (
  select schema_name, table_name from duckdb_tables() where database_name = current_database()
)
select list, table_name is not null as has_earlier
from mistaken
left join tables on table_name = list and schema_name = own_schema
order by list
