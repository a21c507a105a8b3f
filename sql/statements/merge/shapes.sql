-- why: where each resource's records have their members, as earlier runs found
select resource, part, paths, source, evidence from ops.shapes
