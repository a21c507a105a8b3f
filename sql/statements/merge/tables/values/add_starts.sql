-- why: nearly all values began with their asset, and need no row
insert into history.asset_field_value_starts by name
select asset_id, field_id, valid_from from staging.value_intervals where valid_to is null and valid_from > first_seen_at
