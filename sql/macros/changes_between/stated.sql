-- why: the statements of each version, by field: results, members of the record, and the facts of the lists beside it
members as (
  select *, unnest(json_keys(payload)) as name from records where change = 'update'
),
stated as materialized (
  -- of one field twice the first counts; results without a field appear together, in no order
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
)
