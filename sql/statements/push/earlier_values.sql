-- why: a file from before may show a value that a colleague has replaced since; values that hold no longer tell
select
  asset_id,
  field_id,
  kind,
  value_text,
  value_options,
  value_json,
  value_number is not null,
  valid_from,
  valid_to
from history.asset_field_values_earlier
where
  asset_id in (select unnest($ids))
  and field_id in (select unnest($fields))
  and ($at is null or valid_to > $at)
order by valid_from
