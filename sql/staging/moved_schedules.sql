-- grain: property_id, assessment_type_id
-- why: how often a due date moved later after it had passed. After an approval it moves to the next round; other moves hide
-- that the work is late. A schedule that somebody deletes and makes again with a later date moved as well
with versions as (
  select property_id, assessment_type_id, valid_from, staging.due_date_of(payload) as due_date
  from history.schedules
  semi join (from history.schedules where valid_to is not null) as changed using (property_id, assessment_type_id)
  where change not in ('delete', 'erase')
),
steps as (
  select
    property_id,
    assessment_type_id,
    due_date,
    valid_from as set_at,
    lead(due_date) over next as next_date,
    lead(valid_from) over next as moved_at
  from versions
  window next as (partition by property_id, assessment_type_id order by valid_from)
),
moves as (
  from steps
  where due_date < (moved_at at time zone $time_zone)::date and next_date > due_date
),
explained as (
  select moves.property_id, moves.assessment_type_id, moved_at, count(approved_at) > 0 as is_approved
  from moves
  left join staging.seen_approvals as approved
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
