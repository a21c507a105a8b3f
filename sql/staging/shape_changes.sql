-- grain: run_id, resource, change, name
-- why: tables may follow other shapes after a rebuild, and people must find that like any change of shape
with shapes_before as (
  select resource, part, path from staging.shapes_before
),
shapes_now as (
  select resource, part, path from ops.shapes
)
select
  $run_id as run_id,
  coalesce(now.resource, before.resource) as resource,
  'shape' as change,
  coalesce(now.part, before.part) as name,
  before.path as before,
  now.path as after
from shapes_now as now
full join shapes_before as before on before.resource = now.resource and before.part = now.part
where now.path is distinct from before.path
