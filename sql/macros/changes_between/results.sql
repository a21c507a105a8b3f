-- why: field results with their field and value, whether they come as an array or keyed by field
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
  select record_id, valid_from, position, arg_min(candidate, place) as field_id
  from (
    select record_id, valid_from, position, place, json_extract_string(result, pointer) as candidate
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
  -- the object under a field's id is a result with its type, or the value itself
  select
    *,
    name is not null and not (
      json_type(result) = 'OBJECT' and (
        json_exists(result, '$."value"')
        or coalesce(result->>'$."type"' in ('text', 'number', 'date', 'time', 'image', 'file', 'option', 'pin', 'qr'), false)
        or coalesce(list_contains(json_keys(result), result->>'$."type"'), false)
      )
    ) as is_bare
  from results
),
located as (
  -- a kind may have several places: the first one that says something counts, else the first that is not null
  select record_id, valid_from, position,
    arg_min({'leaf': leaf, 'pointer': pointer}, place + 1000000 * case coalesce(json_extract(result, pointer)::varchar, '')
      when '' then 3 when 'null' then 2 when '""' then 1 when '[]' then 1 when '{}' then 1 else 0
    end) as found
  from judged
  join pointers on resource = 'assets' and part = 'result_value:' || coalesce(result->>'$."type"', '')
  group by record_id, valid_from, position
),
valued as materialized (
  -- a new kind has its value under `value`, or under its own name
  select
    judged.*,
    field_id,
    'fields[' || coalesce(result->>'$."type"', '') || ']' || case when is_bare then '' else '.' || coalesce(found.leaf, 'value') end as leaf,
    case
      when is_bare then result
      when found is not null then json_extract(result, found.pointer)
      else coalesce(
        result->'$."value"',
        json_extract(result, '/' || replace(replace(result->>'$."type"', '~', '~0'), '/', '~1'))
      )
    end as value
  from judged
  left join named
    on named.record_id = judged.record_id and named.valid_from = judged.valid_from and named.position = judged.position
  left join located
    on located.record_id = judged.record_id and located.valid_from = judged.valid_from and located.position = judged.position
)
