-- grain: line, property_id
-- why: whether each property meets each condition; NULL if its list has no value to compare. A cell such as 1,204 in a column
-- of people's own may be thousands or a fraction, so nobody can tell
with conditions as (
  select line, column_name, operator, value_text, value_number
  from staging.stated_requirements
  where column_name is not null
),
cells as (
  select property_id, column_name, cell, if(regexp_full_match(cell, '-?\d{1,15}([.,]\d{1,15})?'), replace(cell, ',', '.'), null)::double as number
  from staging.condition_cells
),
compared as (
  select
    conditions.line,
    cells.property_id,
    operator,
    case
      when value_number is not null and number is not null then sign(number - value_number)
      when operator in ('=', '!=') then if(lower(cell) = lower(value_text), 0, 1)
    end as side
  from conditions
  join cells using (column_name)
  where cell is not null and (value_number is null or not regexp_full_match(cell, '-?\d{1,3}(,\d{3})+'))
)
select
  line,
  property_id,
  case operator
    when '=' then side = 0
    when '!=' then side <> 0
    when '<' then side < 0
    when '<=' then side <= 0
    when '>' then side > 0
    when '>=' then side >= 0
  end as is_true
from compared
