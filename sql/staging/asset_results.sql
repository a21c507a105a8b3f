-- grain: asset_id, position
-- why: one row a field result; a result refers to its field by a member that the API's document does not show.
-- Those of one type stand together: the table of a type is made from them alone, and finds them ten times as fast.
with dirty as (
  select versions.asset_id, property_id, asset_type_id, coalesce(exact.payload, versions.payload) as payload
  from staging.dirty_versions as versions
  join main.assets as assets on assets.asset_id = versions.asset_id
  left join staging.exact_numbers as exact on exact.asset_id = versions.asset_id
),
listed as (
  select * exclude (payload), json_extract(payload, '$."fields"[*]') as results
  from dirty
),
unnested as (
  select
    * exclude (results),
    unnest(results) as result,
    generate_subscripts(results, 1)::integer as position
  from listed
),
read_once as (
  -- all that a result is asked for at once: each further look would parse it again
  select *, json_extract(result, {{result_members}}) as members
  from unnested
)
select
  asset_id,
  property_id,
  asset_type_id,
  {{result_field}} as field_id,
  position,
  members[1]->>'$' as kind,
  {{result_value}} as value
from read_once
order by asset_type_id
