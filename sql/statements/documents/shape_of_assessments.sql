-- why: the property and type of a gone assessment are in its payload, at the paths that propsync found
select part, paths from ops.shapes where resource = 'assessments' and part in ('property', 'type')
