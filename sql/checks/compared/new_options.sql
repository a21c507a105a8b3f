-- severity: warn
-- why: a new option may need a place among the words of [desk] in propsync.toml
-- direction: up
-- share: 0
-- floor: 1
select 'options of field ' || field_id || ' of type ' || asset_type_id as subject, count(*) as value, null as total
from main.asset_field_options
group by asset_type_id, field_id
