-- grain: record_id, changed_at, field
-- why: an asset's field changed where one interval of its values ends and the next begins. Few of the present values
-- began later than their asset. Only these can be new in a version that is not its first.
with events as (
  select record_id, changed_at from staging.change_events where resource = 'assets' and change = 'changed'
),
began_later as (
  select asset_id, field_id, valid_from
  from history.asset_field_value_starts
  semi join events on events.record_id = asset_id
),
-- DuckDB unpacks 2,048 texts at once, so it reads few rows faster by their places than by their keys
places as (
  select shown.rowid as place
  from main.asset_field_values as shown
  semi join began_later on began_later.asset_id = shown.asset_id and began_later.field_id = shown.field_id
),
recorded as materialized (
  select * from main.asset_field_values where rowid in (select place from places)
),
intervals as (
  select * exclude (valid_from, valid_to, property_id), valid_from, valid_to
  from history.asset_field_values_earlier
  semi join events on events.record_id = asset_id
  union all by name
  select recorded.* exclude (property_id, label), began_later.valid_from, null::timestamptz as valid_to
  from recorded
  join began_later using (asset_id, field_id)
),
spelt as (
  select
    asset_id,
    asset_type_id,
    field_id,
    valid_from,
    valid_to,
    value_options as option_ids,
    coalesce(staging.choice(value_options, value_option_labels), value_text, value_json::varchar) as value
  from intervals
),
began as (
  select spelt.* from spelt join events on events.record_id = asset_id and events.changed_at = valid_from
),
ended as (
  select spelt.* from spelt join events on events.record_id = asset_id and events.changed_at = valid_to
)
select
  coalesce(began.asset_id, ended.asset_id) as record_id,
  coalesce(began.valid_from, ended.valid_to) as changed_at,
  coalesce(began.field_id, ended.field_id) as field,
  coalesce(began.asset_type_id, ended.asset_type_id) as type_id,
  ended.value as old_value,
  began.value as new_value,
  ended.option_ids as old_option_ids,
  began.option_ids as new_option_ids
from began
full join ended
  on ended.asset_id = began.asset_id and ended.field_id = began.field_id and ended.valid_to = began.valid_from
-- two options may have one label, such as one that somebody made again
where old_value is distinct from new_value or old_option_ids is distinct from new_option_ids
