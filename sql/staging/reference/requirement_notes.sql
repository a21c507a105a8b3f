-- grain: record_id, issue
-- why: a condition that fits no property, or that cannot be judged for some, is most often a gap in people's lists
with conditions as (
  select line, assessment_type_id, concat_ws(' ', column_name, operator, value_text) as condition
  from staging.stated_requirements
  where column_name is not null
),
judged as (
  select
    conditions.line,
    count(*) filter (where matches.is_true) as fitting,
    (select count(*) from staging.known_properties) - count(matches.is_true) as unknown
  from conditions
  left join staging.condition_matches as matches on matches.line = conditions.line
  group by conditions.line
),
noted as (
  select
    assessment_type_id,
    unnest([
      if(fitting = 0, 'no property fits the condition ' || condition, null),
      if(
        unknown > 0,
        concat(
          if(unknown = 1, '1 property may or may not fit ', unknown || ' properties may or may not fit '),
          condition,
          ': the list properties gives no such value'
        ),
        null
      )
    ]) as issue
  from judged
  join conditions using (line)
)
select
  'requirements' as list,
  $file as file,
  null::bigint as line,
  assessment_type_id as record_id,
  issue,
  false as is_mistake,
  $run_id as run_id
from noted
where issue is not null
