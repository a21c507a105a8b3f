-- The tables as they were at a moment: versions that were valid then, without tombstones.
create or replace macro assets_as_of(ts) as table
  select * from history.assets
  where valid_from <= ts and (valid_to is null or valid_to > ts) and change <> 'delete';

create or replace macro assessments_as_of(ts) as table
  select * from history.assessments
  where valid_from <= ts and (valid_to is null or valid_to > ts) and change <> 'delete';

create or replace macro schedules_as_of(ts) as table
  select * from history.schedules
  where valid_from <= ts and (valid_to is null or valid_to > ts) and change <> 'delete';

comment on macro table assets_as_of is 'The assets as they were at a moment: assets_as_of(timestamptz ''2026-03-02 12:00:00+00'')';
comment on macro table assessments_as_of is 'The assessments as they were at a moment';
comment on macro table schedules_as_of is 'The schedules as they were at a moment';
