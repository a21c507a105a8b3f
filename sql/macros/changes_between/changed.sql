-- why: records that differ between the moments; a version that was valid at both is no change
versions as (
  {{versions}}
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
    coalesce(bool_or(change not in ('delete', 'erase')) filter (is_before), false) as was_there,
    coalesce(bool_or(change not in ('delete', 'erase')) filter (is_after), false) as is_there,
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
      when resource not in ({{of_two_parts}}) then key_1
      else replace(replace(key_1, '\', '\\'), '/', '\/') || '/' || replace(replace(key_2, '\', '\\'), '/', '\/')
    end as record_id,
    case when not was_there then 'insert' when not is_there then 'delete' else 'update' end as change,
    case when was_there then valid_before else valid_after end as first_version,
    case when is_there then valid_after else valid_before end as last_version,
    case when was_there then valid_after else came_at end as changed_at
  from moved
  where (was_there or is_there) and (is_different or was_there <> is_there)
)
