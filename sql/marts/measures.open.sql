-- grain: measure, day
-- why: the numbers that a regulator or a board asks for, each with its rule, its SQL, and the reason if there is no value
with days as (
  select * from staging.counted_days
),
in_force as (
  select day, rules.*
  from days
  join staging.measure_rules as rules on since <= day
  qualify since = max(since) over (partition by measure, day)
),
named as (
  select
    measure,
    since,
    day,
    string_agg(name, '; ' order by name) as assessment_types,
    string_agg('''' || replace(assessment_type_id, '''', '''''') || '''', ', ' order by assessment_type_id) as ids
  from staging.measure_types
  group by measure, since, day
),
-- the token may not read the types, or their names are where propsync does not look
with_names as (
  select distinct day from staging.type_names_on_days where name is not null
),
undecided_on_days as (
  select day, property_id, assessment_type_id from staging.requirements_then where not is_required
  union all
  select $today, property_id, assessment_type_id from staging.undecided_requirements where not is_required
),
undecided as (
  select measure, since, day, count(distinct property_id) as undecided
  from staging.measure_types
  join undecided_on_days using (day, assessment_type_id)
  group by measure, since, day
),
undecided_of_types as (
  select day, assessment_type_id, count(*) as undecided from undecided_on_days group by day, assessment_type_id
),
of_properties as (
  select
    measure,
    day,
    property_id,
    any_value(homes) as homes,
    bool_and(state in ('in date', 'due soon')) as is_in_date,
    bool_or(state = 'unknown') and not bool_or(state = 'out of date') as is_unknown
  from in_force
  join staging.measure_types using (measure, since, day)
  join staging.compliance_on_days using (day, assessment_type_id)
  group by measure, day, property_id
),
in_homes as (
  select
    measure,
    day,
    coalesce(sum(homes) filter (is_in_date), 0)::bigint as numerator,
    coalesce(sum(homes), 0)::bigint as denominator,
    coalesce(sum(homes) filter (is_unknown), 0)::bigint as unknown,
    count(*) as properties,
    count(*) filter (homes is null) as without_homes
  from of_properties
  group by measure, day
),
regulated as (
  select
    measure,
    day,
    title,
    'homes' as unit,
    assessment_types,
    ids,
    numerator,
    denominator,
    unknown,
    coalesce(undecided, 0) as undecided,
    case
      when assessment_types is null and with_names.day is null then 'propsync knew no name of any assessment type'
      when assessment_types is null then concat('no assessment type has a name that fits ', measure)
      when not is_known then 'propsync had not read the API by then'
      when properties is null then 'no property must have such an assessment'
      when without_homes > 0 then concat('your list of properties gives no homes for ', without_homes, ' of ', properties, ' properties')
      when denominator = 0 then 'your list of properties gives these properties 0 homes'
    end as reason,
    rule,
    since as rule_since,
    source as rule_source
  from in_force
  join days using (day)
  left join named using (measure, since, day)
  left join with_names using (day)
  left join in_homes using (measure, day)
  left join undecided using (measure, since, day)
),
of_types as (
  select
    day,
    unit,
    assessment_type_id,
    any_value(assessment_type) as assessment_type,
    bool_and(is_known) as is_known,
    if(unit = 'homes', sum(homes_in_date + homes_due_soon), sum(properties_in_date + properties_due_soon))::bigint as numerator,
    if(
      unit = 'homes',
      sum(homes_in_date + homes_due_soon + homes_out_of_date + homes_unknown),
      sum(properties_in_date + properties_due_soon + properties_out_of_date + properties_unknown)
    )::bigint as denominator,
    if(unit = 'homes', sum(homes_unknown), sum(properties_unknown))::bigint as unknown,
    sum(properties_in_date + properties_due_soon + properties_out_of_date + properties_unknown)::bigint as properties,
    if(unit = 'homes', sum(properties_without_homes), 0)::bigint as without_homes
  from marts.compliance_days
  semi join days using (day)
  cross join (values ('homes'), ('properties')) as units (unit)
  group by day, unit, assessment_type_id
),
plain as (
  select
    concat(unit, ' in date: ', assessment_type_id) as measure,
    day,
    concat(coalesce(assessment_type, assessment_type_id), ' in date') as title,
    unit,
    coalesce(names_then.name, assessment_type) as assessment_types,
    concat('''', replace(assessment_type_id, '''', ''''''), '''') as ids,
    numerator,
    denominator,
    unknown,
    coalesce(undecided, 0) as undecided,
    case
      when not is_known then 'propsync had not read the API by then'
      when without_homes > 0 then concat('your list of properties gives no homes for ', without_homes, ' of ', properties, ' properties')
      when denominator = 0 then 'your list of properties gives these properties 0 homes'
    end as reason,
    concat('Proportion of ', unit, ' that must have this assessment and have it, in date or due soon') as rule,
    date '2026-01-01' as rule_since,
    'propsync' as rule_source
  from of_types
  left join undecided_of_types using (day, assessment_type_id)
  left join staging.type_names_on_days as names_then using (day, assessment_type_id)
),
every_measure as (
  from regulated
  union all by name
  from plain
)
select
  measure,
  day,
  is_known,
  is_month_end,
  is_year_end,
  title,
  unit,
  assessment_types,
  if(is_known, numerator, null) as numerator,
  if(is_known, denominator, null) as denominator,
  if(is_known, unknown, null) as unknown,
  if(is_known, undecided, null) as undecided,
  if(reason is null, numerator / denominator, null) as value,
  reason,
  coalesce(verdict, 'not read') as verdict,
  complete_on as complete_read_on,
  rule,
  rule_since,
  rule_source,
  staging.measure_sql(unit, ids, day, ends_at is null, is_year_end) as sql,
  basis
from every_measure
join days using (day)
left join staging.reads_on_days using (day)
