-- why: people read once what stays so, not every night
insert into ops.schema_changes
select $run_id, $resource, $change, $name, null, $after
where not exists (from ops.schema_changes where resource = $resource and change = $change and name = $name)
