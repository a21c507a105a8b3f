select
  resource,
  record_id,
  changed.change,
  history.valid_from,
  history.valid_from = first_version as is_old,
  history.valid_from = last_version as is_new,
  payload,
  {{known_property}} as property_id,
  {{facts_as_json}}
from history.{{table}} as history
join changed on resource = '{{name}}' and {{is_changed}}
where history.valid_from >= first_version and history.valid_from <= last_version
