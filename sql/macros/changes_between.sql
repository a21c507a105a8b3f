-- What differs between two moments: each record as it was at one against the same record as it was at the other.
-- Where the API keeps what its document does not show (a result's field and value, a record's property) is read from
-- ops.shapes when the macro runs, so it follows whatever was found. No lambdas: old and new clients write them otherwise.
create macro changes_between(a, b) as table
  with recursive versions as (
    select 'assets' as resource, asset_id as record_id, record_hash, valid_from, valid_to, change
    from history.assets
    union all
    select 'assessments', assessment_id, record_hash, valid_from, valid_to, change
    from history.assessments
    union all
    select 'schedules', property_id || '/' || assessment_type_id, record_hash, valid_from, valid_to, change
    from history.schedules
  ),
  placed as (
    select
      *,
      valid_from <= a::timestamptz and (valid_to is null or valid_to > a::timestamptz) as is_before,
      valid_from <= b::timestamptz and (valid_to is null or valid_to > b::timestamptz) as is_after
    from versions
  ),
  moved as (
    -- a version that was valid at both moments is no change; of the others a record has at most one at each
    select
      coalesce(before.resource, after.resource) as resource,
      coalesce(before.record_id, after.record_id) as record_id,
      before.valid_from as valid_before,
      after.valid_from as valid_after,
      coalesce(before.change <> 'delete', false) as was_there,
      coalesce(after.change <> 'delete', false) as is_there,
      before.record_hash is distinct from after.record_hash as is_different
    from (select * from placed where is_before and not is_after) as before
    full join (select * from placed where is_after and not is_before) as after
      on after.resource = before.resource and after.record_id = before.record_id
  ),
  changed as materialized (
    select
      resource,
      record_id,
      case when not was_there then 'insert' when not is_there then 'delete' else 'update' end as change,
      valid_before,
      valid_after
    from moved
    where (was_there or is_there) and (is_different or was_there <> is_there)
  ),
  sides as (
    select resource, record_id, change, 'old' as side, valid_before as valid_from from changed where change <> 'insert'
    union all
    select resource, record_id, change, 'new', valid_after from changed where change <> 'delete'
  ),
  records as materialized (
    select
      sides.*,
      payload,
      null::varchar as property_id,
      null::json as status,
      null::json as performed_for,
      null::json as performed_by
    from history.assets as history
    join sides on resource = 'assets' and record_id = asset_id and sides.valid_from = history.valid_from
    union all
    select sides.*, payload, null, to_json(status), to_json(performed_for), to_json(performed_by)
    from history.assessments as history
    join sides on resource = 'assessments' and record_id = assessment_id and sides.valid_from = history.valid_from
    union all
    select sides.*, payload, property_id, null, null, null
    from history.schedules as history
    join sides
      on resource = 'schedules'
      and record_id = property_id || '/' || assessment_type_id
      and sides.valid_from = history.valid_from
  ),
  shapes as (
    select resource, part, from_json(paths, '[["VARCHAR"]]') as paths from ops.shapes
  ),
  paths as (
    select resource, part, unnest(paths) as path, generate_subscripts(paths, 1) as place from shapes
  ),
  pointers as materialized (
    -- a JSON pointer takes members by any name
    select
      resource,
      part,
      place,
      len(path) as depth,
      array_to_string(path, '.') as leaf,
      '/' || replace(replace(replace(array_to_string(path, chr(31)), '~', '~0'), '/', '~1'), chr(31), '/') as pointer
    from paths
  ),
  roles as (
    select records.resource, record_id, side, part, arg_min(json_extract_string(payload, pointer), place) as told
    from records
    join pointers on pointers.resource = records.resource and part in ('property', 'type')
    where json_type(payload, pointer) not in ('OBJECT', 'ARRAY', 'NULL')
      and json_extract_string(payload, pointer) <> ''
    group by all
  ),
  properties as (
    select
      records.resource,
      records.record_id,
      arg_min(coalesce(property_id, told), records.side) as property_id
    from records
    left join roles
      on part = 'property'
      and roles.resource = records.resource
      and roles.record_id = records.record_id
      and roles.side = records.side
    group by all
  ),
  results as (
    select
      record_id,
      side,
      unnest(json_extract(payload, '$."fields"[*]')) as result,
      generate_subscripts(json_extract(payload, '$."fields"[*]'), 1) as position,
      null::varchar as name
    from records
    where resource = 'assets' and change = 'update'
    union all
    -- an object of results: its members are named for their fields
    select
      record_id,
      side,
      json_extract(payload, '/fields/' || replace(replace(name, '~', '~0'), '/', '~1')),
      position,
      name
    from (
      select
        record_id,
        side,
        payload,
        unnest(json_keys(payload, '$."fields"')) as name,
        generate_subscripts(json_keys(payload, '$."fields"'), 1) as position
      from records
      where resource = 'assets' and change = 'update' and json_type(payload, '$."fields"') = 'OBJECT'
    )
  ),
  named as (
    -- an empty path stands for the name, which is also tried last
    select record_id, side, position, arg_min(told, place) as field_id
    from (
      select record_id, side, position, place, json_extract_string(result, pointer) as told
      from results
      join pointers on resource = 'assets' and part = 'result_field' and depth > 0
      where json_type(result, pointer) not in ('OBJECT', 'ARRAY', 'NULL') and json_extract_string(result, pointer) <> ''
      union all
      select record_id, side, position, coalesce(place, 1000000), name
      from results
      left join pointers on resource = 'assets' and part = 'result_field' and depth = 0
      where name is not null
    )
    group by all
  ),
  judged as (
    -- what an object holds under a field's id is a result with its type, or the value itself
    select
      *,
      name is not null and not (
        json_type(result) = 'OBJECT' and (
          json_exists(result, '$."value"')
          or coalesce(
            result->>'$."type"' in ('text', 'number', 'date', 'time', 'image', 'file', 'option', 'pin', 'qr'),
            false
          )
          or coalesce(list_contains(json_keys(result), result->>'$."type"'), false)
        )
      ) as is_bare
    from results
  ),
  valued as (
    -- a kind that was never met before is looked for under `value`, then under its name
    select
      results.*,
      field_id,
      'fields[' || coalesce(result->>'$."type"', '') || ']' || case when is_bare then '' else '.' || coalesce(leaf, 'value') end as leaf,
      case
        when is_bare then result
        when pointer is not null then json_extract(result, pointer)
        else coalesce(
          result->'$."value"',
          json_extract(result, '/' || replace(replace(result->>'$."type"', '~', '~0'), '/', '~1'))
        )
      end as value
    from judged as results
    left join named
      on named.record_id = results.record_id and named.side = results.side and named.position = results.position
    left join pointers
      on resource = 'assets' and place = 1 and part = 'result_value:' || coalesce(result->>'$."type"', '')
  ),
  members as (
    select *, unnest(json_keys(payload)) as name from records where change = 'update'
  ),
  stated as (
    -- of one field twice the first counts; results that name no field are shown together, in no order
    select
      'assets' as resource,
      record_id,
      side,
      true as is_result,
      field_id as field,
      leaf,
      value
    from valued
    where field_id is not null
    qualify row_number() over (partition by record_id, side, field_id order by position) = 1
    union all
    select 'assets', record_id, side, false, 'fields', 'fields', to_json(list(result order by result::varchar))
    from valued
    where field_id is null
    group by all
    union all
    select distinct
      resource,
      record_id,
      side,
      false,
      name,
      name,
      json_extract(payload, '/' || replace(replace(name, '~', '~0'), '/', '~1'))
    from members
    where not (resource = 'assets' and name = 'fields' and coalesce(json_type(payload, '$."fields"'), '') in ('ARRAY', 'OBJECT'))
      and not (resource = 'schedules' and name = 'asset')  -- deprecated, and never compared
      and not (resource = 'assessments' and name in ('status', 'performed_for', 'performed_by'))
      and (resource, name) not in (select (resource, leaf) from pointers where resource = 'assessments' and part = 'status')
    union all
    select resource, record_id, side, false, 'status', null, status
    from records
    where resource = 'assessments' and change = 'update'
    union all
    select resource, record_id, side, false, 'performed_for', null, performed_for
    from records
    where resource = 'assessments' and change = 'update'
    union all
    select resource, record_id, side, false, 'performed_by', null, performed_by
    from records
    where resource = 'assessments' and change = 'update'
  ),
  compared as materialized (
    select
      coalesce(before.resource, after.resource) as resource,
      coalesce(before.record_id, after.record_id) as record_id,
      coalesce(before.is_result, after.is_result) as is_result,
      coalesce(before.field, after.field) as field,
      coalesce(before.leaf, after.leaf) as leaf,
      before.value as value_before,
      after.value as value_after
    from (select * from stated where side = 'old') as before
    full join (select * from stated where side = 'new') as after
      on after.resource = before.resource
      and after.record_id = before.record_id
      and after.is_result = before.is_result
      and after.field = before.field
    where before.value::varchar is distinct from after.value::varchar
      and (before.value->>'$' is not null or after.value->>'$' is not null)
  ),
  roots as (
    select resource, record_id, is_result, field, 'old' as side, '' as place, leaf, value_before as value from compared
    where value_before is not null
    union all
    select resource, record_id, is_result, field, 'new', '', leaf, value_after from compared
    where value_after is not null
  ),
  nodes as (
    -- every object, array and scalar with its place, so that the order of members does not count
    select * from roots
    union all
    select
      resource,
      record_id,
      is_result,
      field,
      side,
      -- users are a set
      place || '/' || case when resource = 'schedules' and field = 'assignedUsers' and place = '' then child::varchar else step end,
      case
        when json_type(value) = 'OBJECT' then leaf || '.' || step
        when json_type(child, '$."type"') = 'VARCHAR' then leaf || '[' || (child->>'$."type"') || ']'
        else leaf || '[]'
      end,
      child
    from (
      select *, json_extract(value, '/' || replace(replace(step, '~', '~0'), '/', '~1')) as child
      from (
        select
          *,
          unnest(case json_type(value)
            when 'OBJECT' then json_keys(value)
            when 'ARRAY' then range(json_array_length(value)::bigint)::varchar[]
          end) as step
        from nodes
      )
    )
  ),
  compact as (
    select
      nodes.* exclude (value),
      case
        when json_type(value) in ('OBJECT', 'ARRAY') then json_type(value)
        when (resource, leaf) in (select (resource, leaf) from pointers where part = 'volatile') then 'null'
        when json_type(value) in ('BIGINT', 'UBIGINT', 'DOUBLE')
          then regexp_replace(regexp_replace(value::varchar, '\.0$', ''), '^-0$', '0')
        else value::varchar
      end as told
    from nodes
  ),
  digests as (
    select resource, record_id, is_result, field, side, list_sort(list(distinct place || chr(31) || told)) as digest
    from compact
    group by all
  ),
  alike as (
    select resource, record_id, is_result, field
    from digests
    group by all
    having count(*) = 2 and count(distinct digest) = 1
  ),
  labels as (
    -- by the type that the asset has now, else by the one that it had
    select record_id, field_id, arg_min(label, side) as label
    from roles
    join main.asset_type_fields as fields on fields.asset_type_id = told
    where resource = 'assets' and part = 'type'
    group by all
  ),
  differing as (
    select compared.*, label
    from compared
    anti join alike
      on alike.resource = compared.resource
      and alike.record_id = compared.record_id
      and alike.is_result = compared.is_result
      and alike.field = compared.field
    left join labels
      on compared.is_result and labels.record_id = compared.record_id and labels.field_id = compared.field
  )
  select
    changed.resource,
    changed.record_id,
    property_id,
    change,
    field,
    label,
    value_before->>'$' as old_value,
    value_after->>'$' as new_value,
    valid_after as changed_at
  from changed
  left join differing on differing.resource = changed.resource and differing.record_id = changed.record_id
  left join properties on properties.resource = changed.resource and properties.record_id = changed.record_id
  where change <> 'update' or field is not null;

comment on macro table changes_between is 'What differs between two moments, one row a field: changes_between(timestamptz ''2026-03-01 00:00:00+00'', now())';
