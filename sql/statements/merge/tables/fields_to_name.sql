-- why: fields get their names by the label that each had first, in the order in which they appeared
select asset_type_id, field_id, label
from staging.field_versions
qualify row_number() over (partition by asset_type_id, field_id order by valid_from) = 1
order by asset_type_id, valid_from, position
