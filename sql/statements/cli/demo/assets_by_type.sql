-- why: the number of assets of each type
select
  t.name as "asset type",
  t.table_name as "table",
  count(distinct a.asset_id) as assets,
  count(v.field_id) as "field values"
from asset_types as t
left join assets as a using (asset_type_id)
left join asset_field_values as v on v.asset_id = a.asset_id
group by all
order by assets desc
limit 8
