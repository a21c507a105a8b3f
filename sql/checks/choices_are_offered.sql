-- severity: warn
-- why: if a field offers no option that assets choose there, they name options otherwise, such as by position, and no
-- choice has a label. All may choose one option that went, so it takes two that differ
with chosen as (
  select asset_type_id, field_id, unnest(value_options) as option_id
  from main.asset_field_values
  semi join (from main.asset_field_options where is_listed) as offering using (asset_type_id, field_id)
)
select asset_type_id, field_id, count(*) as choices
from chosen
left join (select asset_type_id, field_id, option_id, true as is_known from main.asset_field_options) as known
  using (asset_type_id, field_id, option_id)
group by asset_type_id, field_id
having count(*) >= 8 and count(distinct option_id) > 1 and count(is_known) = 0
order by asset_type_id, field_id
