-- grain: asset_id, field_id, valid_from
-- why: a value holds from the first version that has it to the first that has another or none. Numbers count by value,
-- the members of a picture or file in any order, and links that are signed again not at all
with closed as (
  select versions.asset_id, versions.valid_from, versions.valid_to, recorded.* exclude (asset_id, label)
  from staging.earlier_values as recorded
  join staging.value_versions as versions on versions.version_id = recorded.asset_id
),
latest as (
  select
    recorded.asset_id,
    assets.changed_at as valid_from,
    null::timestamptz as valid_to,
    recorded.* exclude (asset_id, label)
  from main.asset_field_values as recorded
  semi join staging.touched_assets as touched using (asset_id)
  join main.assets as assets on assets.asset_id = recorded.asset_id
),
recorded as (
  select * from closed
  union all by name
  select * from latest
),
written as (
  select distinct kind, value_json from recorded where json_type(value_json) in ('OBJECT', 'ARRAY')
),
volatile as (
  select unnest($volatile_kinds::varchar[]) as kind, unnest($volatile_places::varchar[]) as place
),
nodes as (
  select
    written.kind,
    written.value_json,
    node.fullkey,
    node.type,
    node.atom,
    regexp_replace(replace(substr(node.fullkey, 2), '"', ''), '\[\d+\]', '[]', 'g') as place
  from written, json_tree(written.value_json) as node
),
stated as (
  select
    nodes.* exclude (type, atom),
    case
      when type in ('OBJECT', 'ARRAY') then type
      when volatile.place is not null then null
      when type in ('BIGINT', 'UBIGINT', 'DOUBLE') then regexp_replace(regexp_replace(atom::varchar, '\.0$', ''), '^-0$', '0')
      else atom::varchar
    end as stated
  from nodes
  left join volatile on volatile.kind in (nodes.kind, '') and volatile.place = nodes.place
),
digests as (
  select kind, value_json, list_sort(list(fullkey || chr(31) || coalesce(stated, 'null'))) as digest
  from stated
  group by kind, value_json
),
compared as (
  select
    recorded.*,
    {
      'kind': recorded.kind,
      'scalar': case
        when abs(value_number) < 9007199254740992 then if(value_number = 0, 0, value_number)::varchar
        else coalesce(value_text, if(digest is null, recorded.value_json::varchar, null))
      end,
      'options': value_options,
      'json': digest
    } as value
  from recorded
  left join digests on digests.kind is not distinct from recorded.kind and digests.value_json = recorded.value_json
),
stepped as (
  select
    *,
    coalesce(lag(valid_to) over fields = valid_from, false)
      and lag(value) over fields is not distinct from value as is_same
  from compared
  window fields as (partition by asset_id, field_id order by valid_from)
),
numbered as (
  select *, count(*) filter (not is_same) over (partition by asset_id, field_id order by valid_from) as number
  from stepped
),
spanned as (
  select *, min(valid_from) over (partition by asset_id, field_id, number) as opened_at
  from numbered
  qualify row_number() over (partition by asset_id, field_id, number order by valid_from desc) = 1
)
select
  spanned.asset_id,
  property_id,
  asset_type_id,
  spanned.field_id,
  kind,
  position,
  value_text,
  value_number,
  value_date,
  value_time,
  value_options,
  value_option_labels,
  value_json,
  case
    -- it held at the last build already: what was known then of its beginning stays
    when opened_at <= $built_through::timestamptz and not is_whole then coalesce(starts.valid_from, first_seen_at)
    else opened_at
  end as valid_from,
  valid_to,
  first_seen_at
from spanned
join staging.touched_assets as touched on touched.asset_id = spanned.asset_id
left join history.asset_field_value_starts as starts
  on starts.asset_id = spanned.asset_id and starts.field_id = spanned.field_id
