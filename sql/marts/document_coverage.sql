-- grain: assessment_id, kind
-- why: the wanted documents that are lacking, and why; a stored and current document is not lacking
with assessments as (
  -- an assessment may have a member of any name, such as kind, reason or attempts
  select assessment_id, property_id, assessment_type_id, changed_at
  from main.assessments
  where staging.is_among(status, $statuses)
),
erased as (
  select assessment_id, kind from main.documents where state = 'erased' and is_latest
),
pairs as (
  select assessments.*, wanted.kind
  from assessments, (select unnest($kinds) as kind) as wanted
  anti join erased on erased.assessment_id = assessments.assessment_id and erased.kind = wanted.kind
),
asked as (
  select assessment_id, kind, max(of_changed_at) as of_changed_at from main.documents group by assessment_id, kind
),
lacking as (
  select * from main.documents where version is null
),
lost as (
  select assessment_id, kind, last_error
  from main.documents
  where state = 'stored' and is_latest and starts_with(last_error, $lost)
),
judged as (
  select
    pairs.*,
    lacking.attempts,
    coalesce(lost.last_error, lacking.last_error) as last_error,
    lacking.asked_at,
    lacking.due_at,
    case
      when lost.kind is not null then 'lost'
      when asked.of_changed_at is null then 'not asked for yet'
      when pairs.changed_at > asked.of_changed_at then 'changed since'
      when lacking.state = 'missing' then 'missing in the API'
      when lacking.state = 'failed' then 'failed'
    end as reason
  from pairs
  left join asked on asked.assessment_id = pairs.assessment_id and asked.kind = pairs.kind
  left join lacking on lacking.assessment_id = pairs.assessment_id and lacking.kind = pairs.kind
  left join lost on lost.assessment_id = pairs.assessment_id and lost.kind = pairs.kind
)
select assessment_id, kind, property_id, assessment_type_id, reason, attempts, last_error, asked_at, due_at
from judged
where reason is not null
