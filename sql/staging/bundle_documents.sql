-- grain: assessment_id, version
-- why: the stored bundles of assessments with any action; most assessments have none
with acting as (
  select assessment_id from main.bundle_actions
  union
  select assessment_id from history.bundle_actions
)
select
  assessment_id,
  version,
  is_latest,
  sha256,
  coalesce(same_text_as, sha256) as text_sha256,
  fetched_at,
  asked_at
from main.documents
where kind = 'bundle' and state = 'stored' and assessment_id in (from acting)
