-- why: doctor shows the members whose differences count as no changes; a wrong one would hide changes
select resource, path, source, evidence
from ops.shapes
where part = 'volatile' and path <> ''
order by resource
