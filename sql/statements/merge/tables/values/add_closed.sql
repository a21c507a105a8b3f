-- why: only intervals that ended are kept: the present values are in the current table
insert into history.asset_field_values_earlier by name
select * exclude (first_seen_at) from staging.value_intervals where valid_to is not null
