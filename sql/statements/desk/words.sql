-- why: words that people chose in the API say which mean open, failed or urgent
with written as (
  select entry, name, word from ({{query}})
  union
  select 'fails', 'fails', options.label
  from main.asset_field_options as options
  join ops.roles using (asset_type_id, field_id)
  where roles.role in ('condition', 'result')
)
select entry, name, lower(trim(word)) as word
from written
where trim(word) <> ''
  and not (entry = 'flag_open' and staging.is_among(word, $flag_closed))
  and not (entry = 'action_open' and staging.is_among(word, $action_closed))
group by all
order by all
