-- The table as it was at a moment: versions that were valid then, without tombstones.
create or replace macro {{as_of}}(ts) as table
  select * from history.{{table}}
  where valid_from <= ts and (valid_to is null or valid_to > ts) and change <> 'delete';

comment on macro table {{as_of}} is 'The {{words}} as they were at a moment: {{name}}_as_of(timestamptz ''2026-03-02 12:00:00+00'')';
