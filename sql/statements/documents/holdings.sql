-- why: stored documents with the facts about their assessments; a gone assessment is only in its history, and one of a
-- hidden type is nowhere. One that became hidden seems deleted, but propsync still fetches its documents
with stored as (
  select * from main.documents where {{kept}} and (is_latest or $all_versions)
),
last_known as (
  select assessment_id, valid_from, change, status, {{property}} as property_id, {{type}} as assessment_type_id
  from history.assessments
  where valid_to is null
),
described as (
  select
    stored.*,
    coalesce(assessments.property_id, last_known.property_id) as property_id,
    coalesce(assessments.assessment_type_id, last_known.assessment_type_id) as assessment_type_id,
    coalesce(assessments.status, last_known.status) as status,
    assessments.assessment_id is null as is_gone
  from stored
  left join main.assessments as assessments on assessments.assessment_id = stored.assessment_id
  left join last_known on last_known.assessment_id = stored.assessment_id
  where
    not $hides
    or assessments.assessment_id is not null
    or last_known.change <> 'delete'
    or stored.fetched_at < last_known.valid_from
)
select
  assessment_id,
  property_id,
  kind,
  version,
  is_latest,
  sha256,
  size_bytes,
  path,
  fetched_at,
  status,
  is_gone,
  described.assessment_type_id,
  types.name
from described
left join (select assessment_type_id, name from main.assessment_types) as types on types.assessment_type_id = described.assessment_type_id
where len($properties) = 0 or list_contains($properties, property_id)
order by property_id, assessment_id, kind, version
