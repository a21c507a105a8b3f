-- why: a repeated build finds the same intervals again
delete from history.asset_field_values_earlier as earlier
using staging.touched_assets as touched
where earlier.asset_id = touched.asset_id and (touched.is_whole or earlier.valid_to > $built_through)
