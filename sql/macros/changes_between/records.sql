-- why: all versions of these records from one moment to the other show when each field changed last
records as materialized (
  -- all versions from one moment to the other show when each field changed last
  {{versions_between}}
)
