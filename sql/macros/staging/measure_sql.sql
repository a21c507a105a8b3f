-- The query that gives a measure's numbers. A property counts once, even if it must have several types of `ids`. For an
-- earlier day, the counts of that day answer for one type. For several, its properties do, which stay at ends of fiscal years.
create macro staging.measure_sql(unit, ids, day, is_today, is_year_end) as case
  when ids is null then null
  when not is_today and not contains(ids, ', ') then concat(
    'select sum(', unit, '_in_date + ', unit, '_due_soon) as numerator, ',
    'sum(', unit, '_in_date + ', unit, '_due_soon + ', unit, '_out_of_date + ', unit, '_unknown) as denominator, ',
    'sum(', unit, '_unknown) as unknown ',
    'from marts.compliance_days where day = date ''', day, ''' and assessment_type_id = ', ids
  )
  when is_today or is_year_end then concat(
    'select sum(if(is_in_date, weight, 0)) as numerator, sum(weight) as denominator, ',
    'sum(if(is_unknown, weight, 0)) as unknown from (',
    'select ', if(unit = 'homes', 'coalesce(any_value(homes), 0)', '1'), ' as weight, ',
    'bool_and(state in (''in date'', ''due soon'')) as is_in_date, ',
    'bool_or(state = ''unknown'') and not bool_or(state = ''out of date'') as is_unknown ',
    'from marts.compliance', if(is_today, '', '_then'), ' where ', if(is_today, '', concat('day = date ''', day, ''' and ')),
    'assessment_type_id in (', ids, ') group by property_id)'
  )
end;
