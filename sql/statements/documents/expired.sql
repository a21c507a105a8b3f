-- why: files of documents whose assessments are long deleted, unless a document of another assessment is the same file.
-- A tombstone is open only after look-ups proved a delete; a held delete has none, and counts as living in any case.
-- Assessments of hidden types count like all others: to people, one that went over to such a type is deleted
with gone as (
  select assessment_id
  from {{history}}
  where valid_to is null and change = 'delete' and valid_from < $now::timestamptz - to_years($years)
),
living as (
  select assessment_id from {{present}}
  union
  select record_id from ops.held_deletes where resource = 'assessments'
),
files as (
  select
    documents.path,
    min(documents.sha256) as sha256,
    max(documents.size_bytes) as size_bytes,
    bool_and(gone.assessment_id is not null and living.assessment_id is null) as is_expired
  from main.documents as documents
  left join gone on gone.assessment_id = documents.assessment_id
  left join living on living.assessment_id = documents.assessment_id
  where documents.path is not null
  group by documents.path
)
select path, sha256, coalesce(size_bytes, 0) as size_bytes
from files
where is_expired
order by path
