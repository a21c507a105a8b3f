-- grain: property_id, assessment_type_id
-- why: how often a due date moved later after it had passed. After an approval it moves to the next round; other moves hide
-- that the work is late
with passed as (
  select property_id, assessment_type_id, valid_from, valid_to, staging.due_date_of(payload) as due_date
  from history.schedules
  where valid_to is not null and change not in ('delete', 'erase')
),
next as (
  select property_id, assessment_type_id, valid_from, staging.due_date_of(payload) as due_date
  from history.schedules
  where valid_from > (select min(valid_from) from history.schedules) and change not in ('delete', 'erase')
),
moves as (
  select property_id, assessment_type_id, passed.valid_from as set_at, next.valid_from as moved_at
  from passed
  join next using (property_id, assessment_type_id)
  where next.valid_from = passed.valid_to
    and passed.due_date < (next.valid_from at time zone $time_zone)::date
    and next.due_date > passed.due_date
),
explained as (
  select moves.property_id, moves.assessment_type_id, moved_at, count(approved_at) > 0 as is_approved
  from moves
  left join staging.dated_assessments as approved
    on approved.property_id = moves.property_id
    and approved.assessment_type_id = moves.assessment_type_id
    and approved.approved_at > set_at
    and approved.approved_at <= moved_at
  group by all
)
select
  property_id,
  assessment_type_id,
  count(*)::integer as moved_later_count,
  (count(*) filter (not is_approved))::integer as moved_unapproved_count
from explained
group by property_id, assessment_type_id
