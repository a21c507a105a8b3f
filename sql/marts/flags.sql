-- grain: assessment_id, flag_position
-- why: open findings by age and priority, each with where its state and its days come from
with flags as (
  select
    assessment_id,
    flag_position,
    flag_key,
    {{flag_status}} as status,
    {{flag_raised}} as raised,
    {{flag_closed}} as closed,
    {{flag_priority}} as priority,
    {{flag_title}} as title,
    {{flag_reason}} as reason
  from main.assessment_flags as flags
),
stated as (
  select
    flags.* exclude (status),
    coalesce(flags.status, ends.written) as status,
    case
      when flags.status is not null then words.state
      when ends.state is not null then ends.state
      else staging.state_by_date(flags.closed, {{closes_by_date}}, $time_zone)
    end as state,
    case
      when flags.status is not null then 'its status'
      when ends.state is not null then 'the last entry of its history'
      when not staging.is_no_date(flags.closed) or {{closes_by_date}} then 'its closing date'
    end as state_source,
    coalesce(flags.raised, ends.first_moment) as raised_as_written,
    if(flags.raised is null and ends.first_moment is not null, 'the first entry of its history', 'the flag') as raised_source,
    coalesce(flags.closed, ends.closed_moment) as closed_as_written
  from flags
  left join staging.flag_words as words on words.written = flags.status
  left join staging.flag_ends as ends
    on ends.assessment_id = flags.assessment_id and ends.flag_position = flags.flag_position
),
dated as (
  select
    *,
    staging.day_written(raised_as_written, $time_zone) as raised_on,
    staging.day_written(closed_as_written, $time_zone) as closed_day,
    if(state = 'closed', closed_day, null) as closed_on
  from stated
),
ranks as (
  select written, staging.rank_of(written, $priority_order)::integer as priority_rank
  from (select distinct priority as written from flags)
)
select
  dated.assessment_id,
  dated.flag_position,
  dated.flag_key,
  assessments.property_id,
  properties.name as property_name,
  assessments.assessment_type_id,
  types.name as assessment_type,
  dated.title,
  dated.reason,
  dated.state,
  dated.state_source,
  dated.status,
  dated.raised_on,
  if(dated.raised_on is null, null, dated.raised_source) as raised_source,
  dated.closed_on,
  staging.age_in_days(dated.raised_on, coalesce(dated.closed_on, if(dated.state = 'closed', null, $today)), $today) as age_days,
  dated.priority,
  ranks.priority_rank,
  staging.day_misfit(dated.raised_as_written, dated.raised_on, null, $today) as raised_misfit,
  if(
    dated.state = 'open', null, staging.day_misfit(dated.closed_as_written, dated.closed_day, dated.raised_on, $today)
  ) as closed_misfit
from dated
left join ranks on ranks.written = dated.priority
left join main.assessments as assessments on assessments.assessment_id = dated.assessment_id
left join (select assessment_type_id, name from main.assessment_types) as types on types.assessment_type_id = assessments.assessment_type_id
left join staging.listed_properties as properties on properties.property_id = assessments.property_id
