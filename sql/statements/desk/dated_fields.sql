-- why: results have dates though no documented kind of definition says so
with unsure as (
  select unnest($type_ids::varchar[]) as asset_type_id, unnest($field_ids::varchar[]) as field_id
)
select asset_type_id, field_id, count(value_date) * 2 > count(value_text) as is_mostly
from main.asset_field_values
semi join unsure using (asset_type_id, field_id)
group by asset_type_id, field_id
having count(value_date) > 0
