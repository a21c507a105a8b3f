-- grain: asset_id, position
-- why: one row per field result. A result refers to its field by a member that the API's document does not show, or, in
-- an object, by its own name. Assets of one type come together, and so do their results: its table reads them alone, and
-- finds them ten times as fast. Position 0 is a value in place of field results, and is none
with dirty as (
  -- a left join reads the payloads past the assets; an inner one might hold them in memory. An asset without a row has no
  -- results
  select
    versions.asset_id,
    property_id,
    asset_type_id,
    if(assets.asset_id is null, null, versions.readable) as readable
  from staging.readable_versions as versions
  left join {{placed}} as assets on assets.asset_id = versions.asset_id
  order by asset_type_id
),
listed as (
  select *, json_extract(readable, '$."fields"[*]') as listed_results
  from dirty
),
shown as (
  -- nearly all are arrays with members, and need no closer look
  select *, if(len(listed_results) > 0, 'ARRAY', json_type(readable, '$."fields"')) as form
  from listed
),
gathered as (
  select
    asset_id,
    property_id,
    asset_type_id,
    form,
    case
      when form = 'ARRAY' then listed_results
      when form = 'OBJECT' then json_extract(readable, '$."fields".*')
      when form <> 'NULL' and readable->>'$."fields"' <> '' then [json_extract(readable, '$."fields"')]
    end as results,
    if(form = 'OBJECT', json_keys(readable, '$."fields"'), null) as names
  from shown
),
unnested as (
  select
    * exclude (results, names),
    unnest(results) as result,
    unnest(names) as name,
    if(form in ('ARRAY', 'OBJECT'), generate_subscripts(results, 1)::integer, 0) as position
  from gathered
),
read_once as (
  -- reads everything about a result at once: each further look would parse it again
  select *, json_extract(result, {{result_members}}) as members
  from unnested
),
referred as (
  select *, {{result_field}} as field_id, staging.exact_text(members[1]->>'$') as own_kind
  from read_once
),
judged as (
  -- the object under a field's id is a result with its type, or the value itself. DuckDB looks into results that have
  -- such a name alone: with `and` it would look into all
  select
    *,
    case
      when name is null then false
      when json_type(result) <> 'OBJECT' then true
      else not (
        json_exists(result, '$."value"')
        or coalesce(own_kind in ('text', 'number', 'date', 'time', 'image', 'file', 'option', 'pin', 'qr'), false)
        or coalesce(list_contains(json_keys(result), own_kind), false)
      )
    end as is_bare
  from referred
),
typed as (
  select
    judged.* exclude (own_kind),
    if(is_bare, null, own_kind) as own_kind,
    coalesce(if(is_bare, null, own_kind), fields.kind) as kind
  from judged
  left join main.asset_type_fields as fields
    on fields.asset_type_id = judged.asset_type_id and fields.field_id = judged.field_id
),
valued as (
  select *, if(is_bare or position = 0, result, {{result_value}}) as value
  from typed
)
select
  asset_id,
  property_id,
  asset_type_id,
  field_id,
  position,
  kind,
  own_kind is null and (name is null or (kind is null and value::varchar <> 'null')) as is_untyped,
  value,
  -- the value may be under a name that nobody knows, or inside the object that names the field. Results with a value need
  -- no closer look. Beside a null, only a member whose name says value is one
  case
    when field_id is null or value::varchar <> 'null' or json_type(result) <> 'OBJECT' then null
    when list_bool_or(
      list_transform(
        json_keys(result),
        lambda member: case
          when json_type(result, staging.pointer(member)) = 'NULL' then false
          -- such as `required`; only an unknown kind may have such values
          when json_type(result, staging.pointer(member)) = 'BOOLEAN'
            and own_kind in ('text', 'number', 'date', 'time', 'image', 'file', 'option', 'pin', 'qr') then false
          when member in {{named_members}} then list_has_any(
            list_transform(json_keys(result, staging.pointer(member)), lambda inner_member: staging.plain_name(inner_member)),
            {{value_members}}
          )
          when list_contains({{holding_members}}::varchar[], member) then false
          when value is null then staging.plain_name(member) not in {{plain_members}}
          else replace(staging.plain_name(member), coalesce(own_kind, 'value'), 'value') in {{value_members}}
        end
      )
    ) then result
  end as unread
from valued
