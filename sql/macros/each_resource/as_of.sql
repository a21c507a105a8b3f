-- The table as it was at a moment: versions that were valid then, without tombstones. No WITH: DuckDB 1.4.0 and 1.4.1
-- lose every one of a stored macro.
create or replace macro {{as_of}}(ts) as table
  select versions.*
  from history.{{typed}} as versions,
  {{asked}}
  where versions.valid_from <= asked.moment
    and (versions.valid_to is null or versions.valid_to > asked.moment)
    and versions.change not in ('delete', 'erase')
  union all
  -- DuckDB asks for no moment if no version can fit, as with an unknown id. A limit keeps such a filter above it
  (
    select versions.*
    from {{asked}}
    left join history.{{typed}} as versions on false
    where asked.moment is null
    limit 1
  );

comment on macro table {{as_of}} is 'The {{words}} as they were at a moment, with their columns: {{name}}_as_of(date ''2026-03-02''). A DATE means its end';
