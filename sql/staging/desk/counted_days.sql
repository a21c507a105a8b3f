-- grain: day
-- why: the days to count: today, and each end of a month or fiscal year without a count since it was over. Counts by other
-- lists, settings or SQL (`basis`) do not stay, nor do days before the first sync. Nor does a day with a type that got its
-- first name later. Years that end on 28 February begin on 1 March, so in leap years they end on the 29th
with fiscal_years as (
  select strftime(('2027-' || $fiscal_year_end)::date + 1, '%m-%d') as begin_on
),
seen as (
  select least(
    (select min(valid_from) from history.schedules),
    (select min(valid_from) from history.assessments)
  ) as first_seen_at
),
bounds as (
  select
    first_seen_at,
    date_trunc('month', least($today - interval 12 months, first_seen_at at time zone $time_zone))::date as first_day
  from seen
),
months as (
  select unnest(generate_series(first_day::timestamp, $today::timestamp, interval 1 month))::date as month from bounds
),
ends as (
  select last_day(month) as day from months
  union
  select (year(month) || '-' || begin_on)::date - 1 from months cross join fiscal_years
),
built as (
  select mart, (built_through at time zone $time_zone)::date as built_on from ops.marts
),
named_later as (
  select day
  from marts.measures
  join (select assessment_type_id, name from main.assessment_types) on measure = concat(unit, ' in date: ', assessment_type_id)
  where assessment_types is null and name is not null
),
-- the mart of properties failed when the two of counts did not: it lacks the day, or has it by other lists
without_properties as (
  select day
  from marts.compliance_days
  where is_known and staging.has_properties(day, is_year_end, $today)
  except
  select day from marts.compliance_then where basis = $basis
),
counted as (
  select day from marts.compliance_days, built where mart = 'compliance_days' and basis = $basis and is_known and day < built_on
  intersect
  select day from marts.measures, built where mart = 'measures' and basis = $basis and is_known and day < built_on
  except
  select day from named_later
  except
  select day from without_properties
)
select
  day,
  (day + 1)::timestamp at time zone $time_zone as ends_at,
  coalesce(first_seen_at < (day + 1)::timestamp at time zone $time_zone, false) as is_known,
  last_day(day) = day as is_month_end,
  strftime(day + 1, '%m-%d') = begin_on as is_year_end,
  $basis as basis
from ends
cross join bounds
cross join fiscal_years
anti join counted using (day)
where day >= first_day and day < $today
union all
select $today, null, true, last_day($today) = $today, strftime($today + 1, '%m-%d') = begin_on, $basis from fiscal_years
