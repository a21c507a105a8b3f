-- why: all versions of these records from one moment to the other show when each field changed last
records as materialized (
  -- all versions from one moment to the other show when each field changed last
  select
    resource,
    record_id,
    changed.change,
    history.valid_from,
    history.valid_from = first_version as is_old,
    history.valid_from = last_version as is_new,
    payload,
    null::varchar as property_id,
    null::json as status,
    null::json as performed_for,
    null::json as performed_by
  from history.assets as history
  join changed on resource = 'assets' and key_1 = asset_id
  where history.valid_from >= first_version and history.valid_from <= last_version
  union all
  select
    resource,
    record_id,
    changed.change,
    history.valid_from,
    history.valid_from = first_version,
    history.valid_from = last_version,
    payload,
    null,
    to_json(status),
    to_json(performed_for),
    to_json(performed_by)
  from history.assessments as history
  join changed on resource = 'assessments' and key_1 = assessment_id
  where history.valid_from >= first_version and history.valid_from <= last_version
  union all
  select
    resource,
    record_id,
    changed.change,
    history.valid_from,
    history.valid_from = first_version,
    history.valid_from = last_version,
    payload,
    property_id,
    null,
    null,
    null
  from history.schedules as history
  join changed on resource = 'schedules' and key_1 = property_id and key_2 = assessment_type_id
  where history.valid_from >= first_version and history.valid_from <= last_version
)
