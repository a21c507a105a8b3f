-- grain: assessment_id, action_id
-- why: the first bundle that shows an action, the last one, and the first that shows it closed after one that did not. Of an
-- action without a name nobody can tell which row of another bundle it was
with appearances as (
  select
    actions.assessment_id,
    actions.action_id,
    actions.state,
    actions.is_named,
    texts.version,
    texts.fetched_at,
    texts.last_seen_at,
    texts.text_sha256,
    texts.is_last
  from staging.bundle_rows as actions
  join staging.bundle_texts as texts
    on texts.assessment_id = actions.assessment_id and texts.text_sha256 = actions.text_sha256
),
bounds as (
  select
    assessment_id,
    action_id,
    min(fetched_at) as first_at,
    arg_max(text_sha256, version) as text_sha256,
    bool_or(is_last) as is_current,
    max(version) filter (is_named and state <> 'closed') as last_other,
    max(last_seen_at) filter (is_named and state <> 'closed') as last_other_at
  from appearances
  group by assessment_id, action_id
),
closings as (
  select appearances.assessment_id, appearances.action_id, min(appearances.fetched_at) as closed_at
  from appearances
  join bounds using (assessment_id, action_id)
  where appearances.state = 'closed' and appearances.version > bounds.last_other
  group by appearances.assessment_id, appearances.action_id
)
select bounds.* exclude (last_other), closings.closed_at
from bounds
left join closings using (assessment_id, action_id)
