-- grain: path
-- why: files to hash again, those least recently verified first. Versions with the same bytes share a file, and
-- propsync fetches it again from an assessment whose latest version it is
with versions as (
  select documents.*, coalesce(assessments.changed_at, documents.of_changed_at) as changed_at
  from main.documents as documents
  left join main.assessments as assessments on assessments.assessment_id = documents.assessment_id
  where documents.path is not null
),
files as (
  select
    path,
    min(sha256) as sha256,
    min(kind) as kind,
    max(size_bytes) as size_bytes,
    min(assessment_id) as assessment_id,
    max(last_error) as last_error,
    max(verified_at) as verified_at,
    coalesce(list({'assessment_id': assessment_id, 'changed_at': changed_at}) filter (is_latest), []) as latest
  from versions
  group by path
),
due as (
  select *, row_number() over (order by verified_at nulls first, path) as place
  from files
  where verified_at is null or verified_at < $began
)
select place, path, sha256, kind, size_bytes, assessment_id, last_error, latest
from due
