-- What differs between two moments: each record as it was at one against the same record as it was at the other.
-- Where the API keeps what its document does not show (a result's field and value, a record's property) is read from
-- ops.shapes when the macro runs, so it follows whatever was found.
-- The query is a text, which each client parses by itself: DuckDB 1.4.0 and 1.4.1 lose every WITH of a stored macro.
-- No lambdas (old and new clients write them otherwise), and no full join (old clients take none in a lateral query).
create or replace macro changes_between(a, b) as table
  select told.*
  from (
    select
      case
        when asked_a is null or asked_b is null then error('changes_between: a moment is NULL; give two moments')
        when asked_a > asked_b then error('changes_between: the first moment is later than the second; swap them')
        else asked_a
      end as moment_a,
      asked_b as moment_b
    from (select a::timestamptz as asked_a, b::timestamptz as asked_b)
  ) as moments,
  query($$
  with recursive versions as (
    select 'assets' as resource, asset_id as key_1, '' as key_2, record_hash, valid_from, valid_to, change
    from history.assets
    union all
    select 'assessments', assessment_id, '', record_hash, valid_from, valid_to, change
    from history.assessments
    union all
    select 'schedules', property_id, assessment_type_id, record_hash, valid_from, valid_to, change
    from history.schedules
  ),
  placed as (
    select
      *,
      valid_from <= moments.moment_a as is_before,
      valid_to is null or valid_to > moments.moment_b as is_after
    from versions
    where valid_from <= moments.moment_b and (valid_to is null or valid_to > moments.moment_a)
  ),
  moved as (
    -- a version that was valid at both moments is no change; of the others a record has at most one at each
    select
      resource,
      key_1,
      key_2,
      max(valid_from) filter (is_before) as valid_before,
      max(valid_from) filter (is_after) as valid_after,
      max(valid_from) filter (change = 'insert') as came_at,
      coalesce(bool_or(change <> 'delete') filter (is_before), false) as was_there,
      coalesce(bool_or(change <> 'delete') filter (is_after), false) as is_there,
      max(record_hash) filter (is_before) is distinct from max(record_hash) filter (is_after) as is_different
    from placed
    where not (is_before and is_after)
    group by resource, key_1, key_2
  ),
  changed as materialized (
    select
      resource,
      key_1,
      key_2,
      -- two parts are one text that no other pair has
      case
        when resource <> 'schedules' then key_1
        else replace(replace(key_1, '\', '\\'), '/', '\/') || '/' || replace(replace(key_2, '\', '\\'), '/', '\/')
      end as record_id,
      case when not was_there then 'insert' when not is_there then 'delete' else 'update' end as change,
      case when was_there then valid_before else valid_after end as first_version,
      case when is_there then valid_after else valid_before end as last_version,
      case when was_there then valid_after else came_at end as changed_at
    from moved
    where (was_there or is_there) and (is_different or was_there <> is_there)
  ),
  records as materialized (
    -- all versions from one moment to the other: they tell when each field changed last
    select
      resource,
      record_id,
      changed.change,
      history.valid_from,
      history.valid_from = first_version as is_old,
      history.valid_from = last_version as is_new,
      payload,
      null::varchar as property_id,
      null::json as status,
      null::json as performed_for,
      null::json as performed_by
    from history.assets as history
    join changed on resource = 'assets' and key_1 = asset_id
    where history.valid_from >= first_version and history.valid_from <= last_version
    union all
    select
      resource,
      record_id,
      changed.change,
      history.valid_from,
      history.valid_from = first_version,
      history.valid_from = last_version,
      payload,
      null,
      to_json(status),
      to_json(performed_for),
      to_json(performed_by)
    from history.assessments as history
    join changed on resource = 'assessments' and key_1 = assessment_id
    where history.valid_from >= first_version and history.valid_from <= last_version
    union all
    select
      resource,
      record_id,
      changed.change,
      history.valid_from,
      history.valid_from = first_version,
      history.valid_from = last_version,
      payload,
      property_id,
      null,
      null,
      null
    from history.schedules as history
    join changed on resource = 'schedules' and key_1 = property_id and key_2 = assessment_type_id
    where history.valid_from >= first_version and history.valid_from <= last_version
  ),
  shapes as (
    -- DuckDB 1.4.1 takes no unnest in a lateral query unless the moments are in it
    select resource, part, from_json(paths, '[["VARCHAR"]]') as paths from ops.shapes where moments.moment_a is not null
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
  roles as materialized (
    select
      records.resource,
      record_id,
      valid_from,
      part,
      arg_min(json_extract_string(payload, pointer), place) as told
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
      arg_max(coalesce(property_id, told), records.valid_from) as property_id
    from records
    left join roles
      on part = 'property'
      and roles.resource = records.resource
      and roles.record_id = records.record_id
      and roles.valid_from = records.valid_from
    group by all
  ),
  results as materialized (
    select
      record_id,
      valid_from,
      is_old,
      is_new,
      unnest(json_extract(payload, '$."fields"[*]')) as result,
      generate_subscripts(json_extract(payload, '$."fields"[*]'), 1) as position,
      null::varchar as name
    from records
    where resource = 'assets' and change = 'update'
    union all
    -- an object of results: its members are named for their fields
    select
      record_id,
      valid_from,
      is_old,
      is_new,
      json_extract(payload, '/fields/' || replace(replace(name, '~', '~0'), '/', '~1')),
      position,
      name
    from (
      select
        record_id,
        valid_from,
        is_old,
        is_new,
        payload,
        unnest(json_keys(payload, '$."fields"')) as name,
        generate_subscripts(json_keys(payload, '$."fields"'), 1) as position
      from records
      where resource = 'assets' and change = 'update' and json_type(payload, '$."fields"') = 'OBJECT'
    )
  ),
  named as (
    -- an empty path stands for the name, which is also tried last
    select record_id, valid_from, position, arg_min(told, place) as field_id
    from (
      select record_id, valid_from, position, place, json_extract_string(result, pointer) as told
      from results
      join pointers on resource = 'assets' and part = 'result_field' and depth > 0
      where json_type(result, pointer) not in ('OBJECT', 'ARRAY', 'NULL') and json_extract_string(result, pointer) <> ''
      union all
      select record_id, valid_from, position, place, name
      from results
      join pointers on resource = 'assets' and part = 'result_field' and depth = 0
      where name is not null
      union all
      select record_id, valid_from, position, 1000000, name
      from results
      where name is not null
    )
    group by record_id, valid_from, position
  ),
  judged as materialized (
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
  valued as materialized (
    -- a kind that was never met before is looked for under `value`, then under its name
    select
      judged.*,
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
    from judged
    left join named
      on named.record_id = judged.record_id
      and named.valid_from = judged.valid_from
      and named.position = judged.position
    left join pointers
      on resource = 'assets' and place = 1 and part = 'result_value:' || coalesce(result->>'$."type"', '')
  ),
  members as (
    select *, unnest(json_keys(payload)) as name from records where change = 'update'
  ),
  stated as materialized (
    -- of one field twice the first counts; results that name no field are shown together, in no order
    select
      'assets' as resource,
      record_id,
      valid_from,
      is_old,
      is_new,
      true as is_result,
      field_id as field,
      leaf,
      value
    from valued
    where field_id is not null
    qualify row_number() over (partition by record_id, valid_from, field_id order by position) = 1
    union all
    select
      'assets',
      record_id,
      valid_from,
      is_old,
      is_new,
      false,
      'fields',
      'fields',
      to_json(list(result order by result::varchar))
    from valued
    where field_id is null
    group by all
    union all
    select distinct
      members.resource,
      record_id,
      valid_from,
      is_old,
      is_new,
      false,
      name,
      name,
      json_extract(payload, '/' || replace(replace(name, '~', '~0'), '/', '~1'))
    from members
    left join pointers
      on members.resource = 'assessments'
      and pointers.resource = 'assessments'
      and part = 'status'
      and leaf = name
    where not (members.resource = 'assets' and name = 'fields' and coalesce(json_type(payload, '$."fields"'), '') in ('ARRAY', 'OBJECT'))
      and not (members.resource = 'schedules' and name = 'asset')  -- deprecated, and never compared
      and not (members.resource = 'assessments' and name in ('status', 'performed_for', 'performed_by'))
      and pointers.leaf is null
    union all
    select resource, record_id, valid_from, is_old, is_new, false, 'status', null, status
    from records
    where resource = 'assessments' and change = 'update'
    union all
    select resource, record_id, valid_from, is_old, is_new, false, 'performed_for', null, performed_for
    from records
    where resource = 'assessments' and change = 'update'
    union all
    select resource, record_id, valid_from, is_old, is_new, false, 'performed_by', null, performed_by
    from records
    where resource = 'assessments' and change = 'update'
  ),
  compared as materialized (
    select *
    from (
      select
        resource,
        record_id,
        is_result,
        field,
        max(case when is_old then value::varchar end) as value_before,
        max(case when is_new then value::varchar end) as value_after
      from stated
      group by resource, record_id, is_result, field
    )
    where value_before is distinct from value_after
      and (coalesce(value_before, 'null') <> 'null' or coalesce(value_after, 'null') <> 'null')
  ),
  roots as materialized (
    select stated.*
    from stated
    join compared
      on compared.resource = stated.resource
      and compared.record_id = stated.record_id
      and compared.is_result = stated.is_result
      and compared.field = stated.field
    where value is not null
  ),
  nodes as (
    -- every object, array and scalar with its place, so that the order of members does not count
    select resource, record_id, valid_from, is_old, is_new, is_result, field, leaf, value, '' as place from roots
    union all
    select
      resource,
      record_id,
      valid_from,
      is_old,
      is_new,
      is_result,
      field,
      case
        when json_type(value) = 'OBJECT' then leaf || '.' || step
        when json_type(child, '$."type"') = 'VARCHAR' then leaf || '[' || (child->>'$."type"') || ']'
        else leaf || '[]'
      end,
      child,
      -- users are a set
      place || '/' || case
        when resource = 'schedules' and field = 'assignedUsers' and place = '' then child::varchar
        else replace(replace(step, '~', '~0'), '/', '~1')
      end
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
        when pointers.leaf is not null then 'null'
        when json_type(value) in ('BIGINT', 'UBIGINT', 'DOUBLE')
          then regexp_replace(regexp_replace(value::varchar, '\.0$', ''), '^-0$', '0')
        else value::varchar
      end as told
    from nodes
    left join pointers
      on part = 'volatile' and pointers.resource = nodes.resource and pointers.leaf = nodes.leaf
  ),
  digests as materialized (
    select
      resource,
      record_id,
      valid_from,
      is_old,
      is_new,
      is_result,
      field,
      list_sort(list(distinct place || chr(31) || told)) as digest
    from compact
    group by resource, record_id, valid_from, is_old, is_new, is_result, field
  ),
  alike as (
    select resource, record_id, is_result, field
    from digests
    where is_old or is_new
    group by resource, record_id, is_result, field
    having count(*) = 2 and count(distinct digest) = 1
  ),
  followed as (
    -- each field through all versions; no value and null are the same
    select
      compared.resource,
      compared.record_id,
      compared.is_result,
      compared.field,
      records.valid_from,
      records.is_old,
      coalesce(digest, [chr(31) || 'null']) as digest
    from compared
    join records on records.resource = compared.resource and records.record_id = compared.record_id
    left join digests
      on digests.resource = compared.resource
      and digests.record_id = compared.record_id
      and digests.is_result = compared.is_result
      and digests.field = compared.field
      and digests.valid_from = records.valid_from
  ),
  stepped as (
    select
      *,
      lag(digest) over (partition by resource, record_id, is_result, field order by valid_from) as digest_before
    from followed
  ),
  dated as (
    select resource, record_id, is_result, field, max(valid_from) as field_changed_at
    from stepped
    where not is_old and digest is distinct from digest_before
    group by resource, record_id, is_result, field
  ),
  labels as (
    -- by the type that the asset has now, else by the one that it had
    select record_id, field_id, arg_max(label, valid_from) as label
    from roles
    join main.asset_type_fields as fields on fields.asset_type_id = told
    where resource = 'assets' and part = 'type'
    group by record_id, field_id
  ),
  differing as (
    select compared.*, label, field_changed_at
    from compared
    left join alike
      on alike.resource = compared.resource
      and alike.record_id = compared.record_id
      and alike.is_result = compared.is_result
      and alike.field = compared.field
    left join dated
      on dated.resource = compared.resource
      and dated.record_id = compared.record_id
      and dated.is_result = compared.is_result
      and dated.field = compared.field
    left join labels
      on compared.is_result and labels.record_id = compared.record_id and labels.field_id = compared.field
    where alike.field is null
  )
  select
    changed.resource,
    changed.record_id,
    property_id,
    change,
    field,
    label,
    json_extract_string(value_before, '$') as old_value,
    json_extract_string(value_after, '$') as new_value,
    coalesce(field_changed_at, changed_at) as changed_at
  from changed
  left join differing on differing.resource = changed.resource and differing.record_id = changed.record_id
  left join properties on properties.resource = changed.resource and properties.record_id = changed.record_id
  where change <> 'update' or field is not null
  $$) as told;

comment on macro table changes_between is 'What differs from a moment to a later one: changes_between(timestamptz ''2026-03-01 00:00:00+00'', now())';
