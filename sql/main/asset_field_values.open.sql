-- grain: asset_id, field_id
-- why: a value goes to the column of its kind; one that does not fit stays in value_text or value_json
with results as (
  select results.*
  from staging.asset_results as results
  anti join staging.repeated_results as repeated
    on repeated.asset_id = results.asset_id
    and repeated.field_id = results.field_id
    and repeated.first_position < results.position
  where results.field_id is not null
),
valued as (
  select *, nullif(staging.exact_kind(value), 'NULL') as json_kind
  from results
),
scalars as (
  select
    *,
    if(json_kind in ('VARCHAR', 'BIGINT', 'UBIGINT', 'DOUBLE', 'BOOLEAN'), staging.exact_text(value->>'$'), null) as scalar,
    json_kind in ('BIGINT', 'UBIGINT', 'DOUBLE') as is_number
  from valued
),
option_labels as (
  select asset_type_id, field_id, map(list(option_id), list(label)) as labels
  from main.asset_field_options
  group by asset_type_id, field_id
),
chosen as (
  select
    *,
    case
      when kind is distinct from 'option' then null
      -- forms write an empty text where nothing is chosen
      when json_kind = 'VARCHAR' and scalar = '' then []
      when json_kind in ('ARRAY', 'OBJECT', 'VARCHAR', 'BIGINT', 'UBIGINT') then list_transform(
        -- one choice may come without the array
        if(json_kind = 'ARRAY', from_json(value, '["JSON"]'), [value]),
        lambda option: case staging.exact_kind(option)
          when 'OBJECT' then {{option_reference}}
          when 'VARCHAR' then staging.exact_text(option->>'$')
          when 'BIGINT' then option->>'$'
          when 'UBIGINT' then option->>'$'
        end
      )
    end as options
  from scalars
),
fitted as (
  select
    *,
    case when kind = 'number' and is_number then nullif(try_cast(scalar as double), 'inf'::double) end as number,
    case when kind = 'date' and json_kind = 'VARCHAR' then staging.calendar_day(staging.without_midnight(scalar)) end as date,
    case
      when kind = 'time' and json_kind = 'VARCHAR' and regexp_full_match(scalar, '([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?')
        then try_cast(if(length(scalar) = 5, scalar || ':00', scalar) as time)
    end as time,
    if(list_contains(list_transform(options, lambda option: option is null), true), null, options) as fitting_options
  from chosen
)
select
  fitted.asset_id,
  fitted.property_id,
  fitted.asset_type_id,
  fitted.field_id,
  fields.label,
  fitted.kind,
  fitted.position,
  fitted.scalar as value_text,
  nullif(fitted.number, '-inf'::double) as value_number,
  fitted.date as value_date,
  fitted.time as value_time,
  fitted.fitting_options as value_options,
  list_transform(fitted.fitting_options, lambda option: option_labels.labels[option]) as value_option_labels,
  case
    when fitted.json_kind is null then null
    when fitted.kind in ('text', 'qr', 'number', 'date', 'time') and fitted.scalar is not null then null
    when fitted.kind = 'option' and (fitted.fitting_options is not null or fitted.scalar is not null) then null
    when fitted.is_number then try_cast(fitted.scalar as json)
    else staging.exact_json(fitted.value)
  end as value_json
from fitted
left join main.asset_type_fields as fields
  on fields.asset_type_id = fitted.asset_type_id and fields.field_id = fitted.field_id
left join option_labels
  on option_labels.asset_type_id = fitted.asset_type_id and option_labels.field_id = fitted.field_id
