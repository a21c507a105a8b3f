-- why: versions whose content is in no table yet; an earlier bundle has its actions, unless a version with the same
-- text has them
with versions as (
  select
    *,
    max(coalesce(same_text_as, sha256)) filter (is_latest) over (partition by assessment_id, kind) as latest_text
  from main.documents
  where state = 'stored' and {{is_opened}}
)
select
  assessment_id,
  kind,
  sha256,
  path,
  is_latest,
  kind = 'bundle' and not is_latest and same_text_as is null and sha256 is distinct from latest_text as is_earlier
from versions
where read_at is null and list_contains($kinds, kind)
order by assessment_id, kind, version
