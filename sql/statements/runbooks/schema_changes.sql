-- why: for columns and shapes `before` and `after` are types and places, which mean less than their names
with changes as (
  select
    change,
    if(change in ('column', 'shape'), name, coalesce(before || ' → ' || after, after, before, name)) as name
  from ops.schema_changes
  where run_id = {{run_id}}
)
select change, count(*) as changes, list(name order by name) as names
from changes
group by change
order by change
