-- why: the API's document shows no name of a CSV in a bundle. If propsync finds a table in none of them, its shape is new
with newest as (
  select assessment_id
  from main.documents
  where kind = 'bundle' and is_latest and state = 'stored' and read_at is not null
  order by fetched_at desc, assessment_id
  limit $newest
),
unread as (
  select name, count(distinct record_id) as bundles, bool_or(value <> '') as has_csv
  from ops.value_issues
  semi join newest on assessment_id = record_id
  where resource = 'documents' and list_contains($issues, issue)
  group by name
)
select name, bundles, has_csv
from unread
where bundles = (select count(*) from newest)
order by name
