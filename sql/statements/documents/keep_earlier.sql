-- why: the next bundle replaces the rows of the latest; only they say what was open before. Rows of one text are kept once
insert into history.bundle_actions by name
with versions as (
  select assessment_id, sha256, is_latest, coalesce(same_text_as, sha256) as text_sha256
  from main.documents
  where kind = 'bundle' and state = 'stored' and assessment_id in (select unnest($assessment_ids))
),
present as (
  select assessment_id, text_sha256 from versions where is_latest
  union
  select assessment_id, text_sha256
  from versions
  where (assessment_id, sha256) in (select assessment_id, document_sha256 from history.bundle_actions)
),
missing as (
  select assessment_id, min(sha256) as sha256
  from versions
  where (assessment_id, sha256) in (select assessment_id, document_sha256 from main.bundle_actions)
    and (assessment_id, text_sha256) not in (from present)
  group by assessment_id, text_sha256
)
select actions.*
from main.bundle_actions as actions
semi join missing on missing.assessment_id = actions.assessment_id and missing.sha256 = actions.document_sha256
