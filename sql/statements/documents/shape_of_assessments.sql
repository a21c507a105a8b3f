-- why: what a gone assessment belonged to stands in its payload, where it was found
select part, paths from ops.shapes where resource = 'assessments' and part in ('property', 'type')
