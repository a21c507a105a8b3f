-- grain: {{key_columns}}, valid_from
-- why: every version with typed columns: main.{{name}} has those of the latest one, and no other table repeats them. A
-- version that is not built yet is not shown, and the one before it stays the latest
select {{columns}}
from (
  select
    {{key_columns}},
    history.valid_from,
    case when not coalesce(history.valid_to > built_through, false) then history.valid_to end as valid_to,
    history.change,
    history.run_id,
    history.payload
  from history.{{table}} as history
  left join (
    select max(built_through) as built_through
    from ops.tables
    where table_schema = 'main' and table_name = '{{name}}'
  ) as built on true
) as versions
join (
  select {{key_columns}}, changed_at as valid_from{{kept_columns}} from main.{{table}}
  union all
  select {{key_columns}}, valid_from{{earlier_columns}} from history.{{earlier}}
) as typed using ({{key_columns}}, valid_from){{names}}
