-- why: propsync chose otherwise than propsync.toml says
select setting
from ops.desk
where starts_with(evidence, {{against}})
order by setting
