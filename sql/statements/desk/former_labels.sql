-- why: a field may play a role by a label that it had before; the latest of these is the likeliest
with labels as (
  select asset_type_id, field_id, label, max(valid_from) as last_seen_at
  from staging.field_versions
  where label is not null
  group by asset_type_id, field_id, label
)
select asset_type_id, field_id, list(label order by last_seen_at desc, label) as labels
from labels
anti join main.asset_type_fields as present using (asset_type_id, field_id, label)
group by asset_type_id, field_id
