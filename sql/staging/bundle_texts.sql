-- grain: assessment_id, version
-- why: a bundle that only differs from the one before in its bytes says nothing new, so its version does not count
with versions as (
  select assessment_id, version, fetched_at, text_sha256 from staging.bundle_documents
),
replaced as (
  -- few bundles were: a window over all of them would cost more than the rest
  select distinct assessment_id from versions where version > 1
),
compared as (
  select *, lag(text_sha256) over (partition by assessment_id order by version) as text_before
  from versions
  semi join replaced using (assessment_id)
)
select
  assessment_id,
  version,
  fetched_at,
  text_sha256,
  lead(version) over (partition by assessment_id order by version) is null as is_last
from compared
where text_before is distinct from text_sha256
union all
select assessment_id, version, fetched_at, text_sha256, true
from versions
anti join replaced using (assessment_id)
