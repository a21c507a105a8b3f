-- why: fields whose text differs, with all statements about them; most fields end here
compared as materialized (
  select *
  from (
    select
      resource,
      record_id,
      is_result,
      field,
      max(case when is_old then value::varchar end) as value_before,
      max(case when is_new then value::varchar end) as value_after
    from stated
    group by resource, record_id, is_result, field
  )
  where value_before is distinct from value_after
    and (coalesce(value_before, 'null') <> 'null' or coalesce(value_after, 'null') <> 'null')
),
roots as materialized (
  select stated.*
  from stated
  join compared
    on compared.resource = stated.resource
    and compared.record_id = stated.record_id
    and compared.is_result = stated.is_result
    and compared.field = stated.field
  where value is not null
)
