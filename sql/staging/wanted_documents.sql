-- grain: assessment_id, kind
-- why: the documents to request now. First, the newest first, come those that arrived or changed in or after the latest
-- sync with any request. So a partial run does not put off the rest. Then come earlier documents, the oldest first;
-- then failed or missing ones; last, those stored long ago. A bundle with an open action comes each week
with assessments as (
  select assessment_id, property_id, assessment_type_id, changed_at
  from {{assessments}} as present
  where staging.is_among(status, $statuses)
    and (len($properties) = 0 or list_contains($properties, property_id))
),
erased as (
  -- somebody erased a text in it, so propsync does not ask for it again until its assessment changes
  select assessment_id, kind, of_changed_at from main.documents where state = 'erased' and is_latest
),
pairs as (
  select assessments.*, wanted.kind
  from assessments, (select unnest($kinds) as kind) as wanted
  anti join erased
    on erased.assessment_id = assessments.assessment_id
    and erased.kind = wanted.kind
    and erased.of_changed_at >= assessments.changed_at
),
asked as (
  select
    assessment_id,
    kind,
    max(asked_at) as asked_at,
    max(of_changed_at) as of_changed_at,
    max(sha256) filter (is_latest and state is distinct from 'removed') as sha256,
    max(path) filter (is_latest) as path,
    max(coalesce(same_text_as, sha256)) filter (is_latest and state is distinct from 'removed') as same_text_as,
    max(due_at) filter (version is null) as failed_due_at,
    max(due_at) as due_at
  from main.documents
  group by assessment_id, kind
),
open_bundles as (
  select distinct assessment_id, 'bundle' as kind from marts.actions where is_open
),
judged as (
  select
    pairs.*,
    asked.asked_at,
    asked.sha256,
    asked.path,
    asked.same_text_as,
    case
      when asked.asked_at is null or pairs.changed_at > asked.of_changed_at
        then if(coalesce(pairs.changed_at >= $since, true), 1, 2)
      when asked.failed_due_at <= $now then 3
      when asked.failed_due_at is null and asked.due_at <= $now then 4
      when open_bundles.kind is not null and asked.failed_due_at is null and asked.asked_at <= $now::timestamptz - to_days(7)
        then 4
    end as turn
  from pairs
  left join asked on asked.assessment_id = pairs.assessment_id and asked.kind = pairs.kind
  left join open_bundles on open_bundles.assessment_id = pairs.assessment_id and open_bundles.kind = pairs.kind
)
select
  row_number() over (
    order by turn, if(turn = 1, -epoch_us(changed_at), epoch_us(coalesce(asked_at, changed_at))), assessment_id, kind desc
  ) as place,
  assessment_id,
  kind,
  changed_at,
  sha256,
  path,
  same_text_as
from judged
where turn is not null and (asked_at is null or asked_at < $began)
