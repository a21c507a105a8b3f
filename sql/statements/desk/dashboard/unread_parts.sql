-- why: what propsync cannot read looks as if the API had none of it
select replace(resource, '_', ' ') as resource, replace(part, '_', ' ') as part
from ops.shapes
where source = 'unread'
order by all
