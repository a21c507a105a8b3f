-- grain: resource, record_id, changed_at, field
-- why: an array has no column, so an assessment's flags change without one. Links that are signed again are no change
with events as (
  select * from staging.change_events where change = 'changed'
),
payloads as (
  select events.resource, events.record_id, events.changed_at, history.valid_from = events.changed_at as is_new, payload
  from events
  join history.assets as history on events.resource = 'assets' and history.asset_id = events.key_1
  where history.valid_from = events.changed_at or history.valid_to = events.changed_at
  union all
  select events.resource, events.record_id, events.changed_at, history.valid_from = events.changed_at, payload
  from events
  join history.assessments as history on events.resource = 'assessments' and history.assessment_id = events.key_1
  where history.valid_from = events.changed_at or history.valid_to = events.changed_at
  union all
  select events.resource, events.record_id, events.changed_at, history.valid_from = events.changed_at, payload
  from events
  join history.schedules as history
    on events.resource = 'schedules'
    and history.property_id = events.key_1
    and history.assessment_type_id = events.key_2
  where history.valid_from = events.changed_at or history.valid_to = events.changed_at
),
-- DuckDB parses a payload once for the kinds of all its members, and once more for each that it reads
members as (
  select
    * exclude (payload, member),
    json_extract(payload, '/' || replace(replace(member[1], '~', '~0'), '/', '~1')) as value,
    member[1] as field
  from (
    select
      *,
      unnest(list_filter(
        list_zip(json_keys(payload), json_type(payload, '$.*')),
        lambda one: one[2] = 'ARRAY' or one[1] = 'flags'
      )) as member
    from payloads
  )
  where (resource, member[1]) not in (('assets', 'fields'), ('schedules', 'assignedUsers'), ('schedules', 'asset'))
),
arrays as (
  select * from members where json_type(value) = 'ARRAY' or (resource = 'assessments' and field = 'flags')
),
beside as (
  select
    resource,
    record_id,
    changed_at,
    field,
    max(value::varchar) filter (not is_new) as value_before,
    max(value::varchar) filter (is_new) as value_after
  from arrays
  group by resource, record_id, changed_at, field
  having value_before is distinct from value_after
),
written as (
  select distinct resource, field, value from (
    select resource, field, value_before as value from beside
    union all
    select resource, field, value_after from beside
  )
  where value is not null
),
volatile as (
  select resource, regexp_replace(unnest(from_json(paths, '[["VARCHAR"]]'))[1], '\[[^\]]*\]', '[]', 'g') as place
  from ops.shapes
  where part = 'volatile'
),
nodes as (
  select
    written.*,
    node.fullkey,
    node.type,
    node.atom,
    written.field || regexp_replace(replace(substr(node.fullkey, 2), '"', ''), '\[\d+\]', '[]', 'g') as place
  from written, json_tree(written.value::json) as node
),
digests as (
  select
    nodes.resource,
    field,
    value,
    list_sort(list(fullkey || chr(31) || coalesce(
      case
        when type in ('OBJECT', 'ARRAY') then type
        when volatile.place is not null then null
        when type in ('BIGINT', 'UBIGINT', 'DOUBLE') then regexp_replace(regexp_replace(atom::varchar, '\.0$', ''), '^-0$', '0')
        else atom::varchar
      end,
      'null'
    ))) as digest
  from nodes
  left join volatile on volatile.resource = nodes.resource and volatile.place = nodes.place
  group by nodes.resource, field, value
)
select beside.resource, record_id, changed_at, beside.field
from beside
left join digests as before
  on before.resource = beside.resource and before.field = beside.field and before.value = value_before
left join digests as after
  on after.resource = beside.resource and after.field = beside.field and after.value = value_after
where before.digest is distinct from after.digest
