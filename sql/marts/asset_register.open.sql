-- grain: asset_id
-- why: one row an asset with the values that people ask for most, whatever its type calls them
-- batches: staging.unregistered_assets
with assets as (
  select * from staging.unregistered_assets where not is_gone and place between $first and $last
),
-- DuckDB unpacks 2,048 texts at once, so it reads few rows faster by their places than by their keys, and all rows slower
places as (
  select recorded.rowid as place
  from main.asset_field_values as recorded
  semi join assets on assets.asset_id = recorded.asset_id
),
recorded as (
  select * from main.asset_field_values where not $is_whole and rowid in (select place from places)
  union all
  -- a join by type too leaves out storage with other types; no such join finds an asset without a type
  select *
  from main.asset_field_values
  where $is_whole and (asset_type_id, asset_id) in (select asset_type_id, asset_id from assets)
  union all
  select *
  from main.asset_field_values
  where $is_whole and asset_type_id is null and asset_id in (select asset_id from assets)
),
field_values as (
  select
    recorded.asset_id,
    -- results come in any order, so the definitions say which QR code is the first
    coalesce(roles.place, 1000000 + recorded.position) as nth,
    recorded.kind = 'qr' as is_qr,
    roles.*,
    staging.is_filled(value_options, value_text, value_json) as is_filled,
    value_text,
    case
      when not (is_serial or is_condition or is_result) or staging.is_blank(value_text) then null
      when value_options is not null then staging.choice(value_options, value_option_labels)
      else value_text
    end as words,
    case when is_installed or is_next_due then coalesce(value_date, staging.day_written(value_text, $time_zone)) end as day
  from recorded
  left join staging.field_roles as roles
    on roles.asset_type_id = recorded.asset_type_id and roles.field_id = recorded.field_id
),
registered as (
  select
    asset_id,
    count(*) filter (is_filled and is_listed)::integer as filled,
    arg_min(value_text, nth) filter (is_qr and is_filled) as qr,
    nullif(max(words) filter (is_serial), '') as serial,
    nullif(max(words) filter (is_condition), '') as condition,
    nullif(max(words) filter (is_result), '') as result,
    max(day) filter (is_installed) as installed_on,
    max(day) filter (is_next_due) as next_due_on
  from field_values
  group by asset_id
),
field_counts as (
  select asset_type_id, count(*) filter (is_listed)::integer as fields from staging.field_roles group by asset_type_id
)
select
  assets.asset_id,
  assets.asset_type_id,
  assets.asset_type,
  assets.property_id,
  assets.property_name,
  registered.qr,
  registered.serial,
  registered.installed_on,
  registered.condition,
  registered.result,
  registered.next_due_on,
  coalesce(field_counts.fields, 0)::integer as fields,
  coalesce(registered.filled, 0)::integer as filled,
  coalesce(registered.filled, 0) / nullif(field_counts.fields, 0) as filled_share,
  assets.first_seen_at,
  assets.changed_at,
  assets.type_mark
from assets
left join registered on registered.asset_id = assets.asset_id
left join field_counts on field_counts.asset_type_id = assets.asset_type_id
