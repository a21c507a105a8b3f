-- The differences between two moments: each record as it was at one against the same record as it was at the other. The
-- macro reads the places of undocumented members (a result's field and value, a record's property) from ops.shapes. It
-- does so when it runs, and thus follows every finding. The query is a text, which each client parses by itself: DuckDB
-- 1.4.0 and 1.4.1 lose every WITH of a stored macro. No lambdas (old and new clients write them differently), and no
-- full join (old clients take none in a lateral query).
create or replace macro changes_between(a, b) as table
  select changes.*
  from (
    select
      case
        when asked_a is null or asked_b is null then error('changes_between: a moment is NULL; give two moments')
        when asked_a > asked_b then error('changes_between: the first moment is later than the second; swap them')
        else asked_a
      end as moment_a,
      asked_b as moment_b
    from (
      select {{moment_a}} as asked_a, {{moment_b}} as asked_b
      from (select a as given_a, b as given_b) as given,
      (select coalesce(max(value), 'UTC') as zone from ops.settings where setting = 'time_zone') as zones
    ) as stated
  ) as moments,
  query($$
  with recursive
  {{changed}},
  {{records}},
  {{shapes}},
  {{results}},
  {{stated}},
  {{compared}},
  {{digests}},
  {{dated}},
  {{differing}}
  select
    changed.resource,
    changed.record_id,
    property_id,
    change,
    field,
    label,
    json_extract_string(value_before, '$') as old_value,
    json_extract_string(value_after, '$') as new_value,
    coalesce(field_changed_at, changed_at) as changed_at
  from changed
  left join differing on differing.resource = changed.resource and differing.record_id = changed.record_id
  left join properties on properties.resource = changed.resource and properties.record_id = changed.record_id
  where change <> 'update' or field is not null
  $$) as changes;

comment on macro table changes_between is 'The net differences from a moment to a later one: changes_between(date ''2026-03-01'', now()). A DATE means its end';
