-- grain: property_id, assessment_type_id
-- why: how often a due date moved later after it had passed. After an approval it moves to the next round; other moves hide
-- that the work is late. A schedule that somebody deletes and makes again with a later date moved as well. So did one that
-- had no date for a while. Until a complete read of the assessments, nobody can tell whether an approval explains a move. An
-- approval that somebody took back and gave again explains one each time
with versions as (
  select property_id, assessment_type_id, valid_from, due_date
  from history.schedules_typed
  semi join (from history.schedules where valid_to is not null) as changed using (property_id, assessment_type_id)
  where change not in ('delete', 'erase')
),
dates as (
  -- a due date stands through the versions that differ in something else
  select *
  from versions
  where due_date is not null
  qualify due_date is distinct from lag(due_date) over (partition by property_id, assessment_type_id order by valid_from)
),
steps as (
  select
    property_id,
    assessment_type_id,
    due_date,
    valid_from as set_at,
    lead(due_date) over next as next_date,
    lead(valid_from) over next as moved_at
  from dates
  window next as (partition by property_id, assessment_type_id order by valid_from)
),
moves as (
  from steps
  where due_date < (moved_at at time zone $time_zone)::date and next_date > due_date
),
judged as (
  select moves.*, read_at
  from moves
  asof left join staging.assessment_reads as reads on moves.moved_at <= reads.read_at
),
statuses as (
  -- a tombstone has the last status, so a return alone is no approval
  select assessment_id, property_id, assessment_type_id, status, valid_from from history.assessments_earlier
  union all
  select assessment_id, property_id, assessment_type_id, status, changed_at from main.assessments
),
steps_of_approval as (
  select
    property_id,
    assessment_type_id,
    valid_from,
    staging.is_approved(status) as is_approved,
    lag(staging.is_approved(status)) over (partition by assessment_id order by valid_from) as was_approved
  from statuses
  semi join moves using (property_id, assessment_type_id)
),
approvals as (
  select property_id, assessment_type_id, approved_at from staging.seen_approvals
  union all
  select property_id, assessment_type_id, valid_from from steps_of_approval where is_approved and not was_approved
),
explained as (
  select
    moves.property_id,
    moves.assessment_type_id,
    moved_at,
    count(approved_at) > 0 or any_value(read_at) is null as may_be_approved
  from judged as moves
  left join approvals as approved
    on approved.property_id = moves.property_id
    and approved.assessment_type_id = moves.assessment_type_id
    and approved.approved_at > set_at
    and approved.approved_at <= read_at
  group by all
)
select
  property_id,
  assessment_type_id,
  count(*)::integer as moved_later_count,
  (count(*) filter (not may_be_approved))::integer as moved_unapproved_count
from explained
group by property_id, assessment_type_id
