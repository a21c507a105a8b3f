-- why: different texts may have the same values: members in another order, 1 and 1.0, signed links
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
    end as written
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
    list_sort(list(distinct place || chr(31) || written)) as digest
  from compact
  group by resource, record_id, valid_from, is_old, is_new, is_result, field
),
alike as (
  select resource, record_id, is_result, field
  from digests
  where is_old or is_new
  group by resource, record_id, is_result, field
  having count(*) = 2 and count(distinct digest) = 1
)
