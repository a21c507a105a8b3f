-- grain: assessment_id, version
-- why: a bundle that only differs from the one before in its bytes says nothing new, so its version does not count. Each time
-- that propsync asks for a bundle again and gets the same text, it has seen it once more
with versions as (
  select assessment_id, version, fetched_at, greatest(fetched_at, asked_at) as seen_at, text_sha256 from staging.bundle_documents
),
replaced as (
  -- few bundles were: a window over all of them would cost more than the rest
  select distinct assessment_id from versions where version > 1
),
compared as (
  select *, lag(text_sha256) over (partition by assessment_id order by version) as text_before
  from versions
  semi join replaced using (assessment_id)
),
numbered as (
  select
    *,
    count(*) filter (text_before is distinct from text_sha256) over (partition by assessment_id order by version) as number
  from compared
)
select
  assessment_id,
  min(version) as version,
  min(fetched_at) as fetched_at,
  max(seen_at) as last_seen_at,
  text_sha256,
  number = max(number) over (partition by assessment_id) as is_last
from numbered
group by assessment_id, number, text_sha256
union all
select assessment_id, version, fetched_at, seen_at, text_sha256, true
from versions
anti join replaced using (assessment_id)
