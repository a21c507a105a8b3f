-- grain: list, record_id, issue
-- why: an id that only the list or only the API has is most often a typing error, or a building that nobody entered
with listed as (
  select list, file, record_id from staging.listed_ids
),
files as (
  select distinct list, file from listed
),
known as (
  select 'properties' as list, property_id as record_id from staging.api_properties
  union
  select 'users', unnest(assigned_users) from main.schedules
  union
  select list, record_id from staging.api_ids
),
api_ids as (
  select known.list, files.file, known.record_id
  from known
  join files using (list)
  where known.record_id is not null
),
-- a spreadsheet takes the zeros off an id such as 0012
alike as (
  select list, ltrim(lower(trim(record_id)), '0') as folded_id, min(record_id) as api_id
  from known
  group by list, folded_id
),
orphans as (
  select
    listed.list,
    listed.file,
    listed.record_id,
    'only the list has this id, '
    || coalesce('the API has it as ''' || alike.api_id || '''', 'the API has no record of it') as issue
  from listed
  anti join api_ids using (list, record_id)
  left join alike on alike.list = listed.list and alike.folded_id = ltrim(lower(trim(listed.record_id)), '0')
  where listed.list in (select list from api_ids)
  union all
  select list, file, record_id, 'only the API has this id, the list lacks it'
  from api_ids
  anti join listed using (list, record_id)
)
select
  list,
  file,
  null::bigint as line,
  record_id,
  issue,
  false as is_mistake,
  $run_id as run_id
from orphans
