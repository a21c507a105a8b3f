-- grain: assessment_id, kind, version
-- why: a report that changed after it was approved: when, and on which pages
with versions as (
  select assessment_id, kind, version, is_latest, sha256, same_text_as, size_bytes, fetched_at
  from main.documents
  where state = 'stored'
),
replaced as (
  -- a join with all versions would read every document; few were ever replaced
  select versions.*
  from versions
  semi join versions as later
    on later.assessment_id = versions.assessment_id and later.kind = versions.kind and later.version > 1
),
pairs as (
  select
    *,
    lag(version) over (partition by assessment_id, kind order by version) as previous_version,
    lag(sha256) over (partition by assessment_id, kind order by version) as previous_sha256,
    lag(fetched_at) over (partition by assessment_id, kind order by version) as previous_fetched_at,
    lag(size_bytes) over (partition by assessment_id, kind order by version) as previous_size_bytes
  from replaced
  qualify previous_version is not null
),
parts as (
  select document_sha256, page_number::varchar as name, page_number as place, text as content from main.document_text
  union all
  -- the time inside a report that a bundle holds makes it differ, although its text may be the same
  -- an unread member has no hash
  select document_sha256, name, null, coalesce(sha256, concat_ws(' ', size_bytes, crc32))
  from main.bundle_members
  where name is not null
),
sides as (
  select pairs.assessment_id, pairs.kind, pairs.version, parts.name, parts.place, parts.content as after, null as before
  from pairs
  join parts on parts.document_sha256 = pairs.sha256
  union all
  select pairs.assessment_id, pairs.kind, pairs.version, parts.name, parts.place, null, parts.content
  from pairs
  join parts on parts.document_sha256 = pairs.previous_sha256
),
compared as (
  select
    assessment_id,
    kind,
    version,
    name,
    any_value(place) as place,
    bool_or(after is not null) as is_after,
    bool_or(before is not null) as is_before,
    -- several members may have one name
    list_sort(list(after) filter (after is not null))
      is distinct from list_sort(list(before) filter (before is not null)) as differs,
    trim(concat(max(after), max(before))) <> '' as has_content
  from sides
  group by assessment_id, kind, version, name
),
summed as (
  select
    assessment_id,
    kind,
    version,
    bool_or(is_after) and bool_or(is_before) as is_read,
    count(*) filter (differs and is_after and is_before)::integer as changed,
    count(*) filter (differs and not is_before)::integer as added,
    count(*) filter (differs and not is_after)::integer as removed,
    string_agg(name, ', ' order by place, name) filter (differs) as names,
    bool_or(has_content) as has_content
  from compared
  group by assessment_id, kind, version
),
judged as (
  select
    pairs.*,
    case
      when pairs.same_text_as is not null then 'the same text, other bytes'
      when not coalesce(summed.is_read, false) then 'unknown: no text is kept'
      when not summed.has_content then 'unknown: no page has text'
      -- propsync lost the file before, and so could not compare the two
      when summed.names is null then 'the same text, other bytes'
      when pairs.kind = 'report' then 'pages differ'
      else 'members differ'
    end as how
  from pairs
  left join summed using (assessment_id, kind, version)
)
select
  judged.assessment_id,
  assessments.property_id,
  properties.name as property_name,
  assessments.assessment_type_id,
  types.name as assessment_type,
  judged.kind,
  judged.version,
  judged.is_latest,
  judged.fetched_at,
  judged.previous_version,
  judged.previous_fetched_at,
  (judged.fetched_at at time zone $time_zone)::date as changed_on,
  judged.how,
  if(ends_with(judged.how, 'differ'), summed.changed, null) as parts_changed,
  if(ends_with(judged.how, 'differ'), summed.added, null) as parts_added,
  if(ends_with(judged.how, 'differ'), summed.removed, null) as parts_removed,
  if(ends_with(judged.how, 'differ'), summed.names, null) as parts,
  judged.size_bytes,
  judged.size_bytes - judged.previous_size_bytes as size_change_bytes,
  judged.sha256,
  judged.previous_sha256
from judged
left join summed
  on summed.assessment_id = judged.assessment_id and summed.kind = judged.kind and summed.version = judged.version
left join main.assessments as assessments on assessments.assessment_id = judged.assessment_id
left join (select assessment_type_id, name from main.assessment_types) as types on types.assessment_type_id = assessments.assessment_type_id
left join staging.listed_properties as properties on properties.property_id = assessments.property_id
