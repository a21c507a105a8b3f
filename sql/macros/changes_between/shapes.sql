-- why: the document omits the place of some members: ops.shapes has the places that propsync found
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
held_members as materialized (
  -- the property of each record whose key does not have it, and the type of each asset that changed, for its labels.
  -- Materialized, or DuckDB would read each payload three times
  select records.resource, record_id, valid_from, part, place, json_extract(payload, pointer) as held
  from records
  join (from pointers where part in ('property', 'type')) as places on places.resource = records.resource
  where (part = 'property' and property_id is null) or (part = 'type' and records.resource = 'assets' and change = 'update')
),
roles as materialized (
  select resource, record_id, valid_from, part, arg_min(json_extract_string(held, '$'), place) as named_id
  from held_members
  where json_type(held) not in ('OBJECT', 'ARRAY', 'NULL') and json_extract_string(held, '$') <> ''
  group by all
),
properties as (
  select
    records.resource,
    records.record_id,
    arg_max(coalesce(property_id, named_id), records.valid_from) as property_id
  from records
  left join roles
    on part = 'property'
    and roles.resource = records.resource
    and roles.record_id = records.record_id
    and roles.valid_from = records.valid_from
  group by all
)
