-- grain: assessment_id, kind, version
-- why: the new rows of the documents just requested: bytes that differ from the latest version's are a new version. A
-- missing or failed document has a row of its own, and propsync retries it after longer and longer waits
with taken as (
  select * from staging.taken_documents
),
before as (
  select documents.*
  from main.documents as documents
  semi join staging.taken_documents as taken
    on taken.assessment_id = documents.assessment_id and taken.kind = documents.kind
),
known as (
  select
    assessment_id,
    kind,
    max(version) as version,
    -- a removed version counts as no file: the same bytes are a new version then
    max(sha256) filter (is_latest and state is distinct from 'removed') as sha256,
    max(attempts) filter (version is null) as attempts,
    max(state) filter (version is null) as state,
    max(asked_at) filter (version is null) as asked_at
  from before
  group by assessment_id, kind
),
judged as (
  select
    taken.*,
    coalesce(known.version, 0) as last_version,
    -- A failure does not show that a missing document is still missing, nor the other way round. Rows that a killed run
    -- left here do not count twice
    case
      when known.asked_at = taken.asked_at then known.attempts
      when known.state = taken.outcome or taken.outcome = 'stored' then coalesce(known.attempts, 0) + 1
      else 1
    end as tries,
    taken.outcome = 'stored' as is_stored,
    coalesce(taken.sha256 = known.sha256, false) as is_same
  from taken
  left join known on known.assessment_id = taken.assessment_id and known.kind = taken.kind
),
due as (
  select
    *,
    case
      when outcome = 'erased' then null -- it has an erased text: propsync asks again when its assessment changes
      when is_stored then asked_at + to_days($recheck_days)
      when outcome = 'missing' then asked_at + to_hours(23)
      when tries < 2 then asked_at
      else asked_at + to_hours(least(20 * pow(2, least(tries - 2, 10)), 30 * 24)::integer)
    end as due_at
  from judged
),
kept as (
  select
    before.* replace (
      before.is_latest and (due.is_same or not due.is_stored) as is_latest,
      if(before.is_latest and due.is_same, due.asked_at, before.asked_at) as asked_at,
      if(before.is_latest and due.is_same, due.of_changed_at, before.of_changed_at) as of_changed_at,
      if(before.is_latest and due.is_same, due.due_at, before.due_at) as due_at
    )
  from before
  join due on due.assessment_id = before.assessment_id and due.kind = before.kind
  where before.version is not null
),
added as (
  select
    assessment_id,
    kind,
    if(is_stored, last_version + 1, null)::integer as version,
    is_stored as is_latest,
    outcome as state,
    sha256,
    size_bytes,
    path,
    if(is_stored, asked_at, null) as fetched_at,
    tries::integer as attempts,
    error as last_error,
    same_text_as,
    asked_at,
    of_changed_at,
    due_at
  from due
  where not (is_stored and is_same)
)
from kept
union all by name
from added
