-- grain: assessment_id, text_sha256, action_id
-- why: the actions of every text that an assessment's bundle ever had. The id of an action identifies it, without one
-- its reference, then its title. Two rows with one name in a bundle are two actions
with bundles as (
  select assessment_id, sha256, text_sha256, is_latest from staging.bundle_documents
),
texts as (
  select distinct assessment_id, sha256, text_sha256
  from bundles
  semi join history.bundle_actions as kept on kept.assessment_id = bundles.assessment_id
),
latest as (
  select actions.*, bundles.text_sha256
  from main.bundle_actions as actions
  join bundles on bundles.assessment_id = actions.assessment_id and bundles.sha256 = actions.document_sha256
  where bundles.is_latest
),
earlier as (
  select actions.*, texts.text_sha256
  from history.bundle_actions as actions
  join texts on texts.assessment_id = actions.assessment_id and texts.sha256 = actions.document_sha256
  anti join latest on latest.assessment_id = actions.assessment_id and latest.text_sha256 = texts.text_sha256
),
actions as (
  select * from latest union all by name select * from earlier
),
cells as (
  select
    assessment_id,
    text_sha256,
    row_number,
    {{action_id}} as id,
    {{action_reference}} as reference,
    {{action_title}} as title,
    {{action_location}} as location,
    {{action_status}} as status,
    {{action_priority}} as priority,
    {{action_responsible}} as responsible,
    {{action_due}} as due,
    {{action_raised}} as raised,
    {{action_closed}} as closed,
    {{action_cost}} as cost,
    {{action_evidence}} as has_evidence
  from actions
),
words as (
  select written, staging.state(written, $action_open, $action_closed) as state
  from (select distinct status as written from cells)
  where written is not null
),
named as (
  select
    cells.* exclude (id),
    case
      when cells.status is not null then words.state
      else staging.state_by_date(cells.closed, {{action_closes_by_date}}, $time_zone)
    end as state,
    coalesce(cells.id, cells.reference, cells.title, 'row') as name,
    coalesce(cells.id, cells.reference, cells.title) is not null as is_named
  from cells
  left join words on words.written = cells.status
),
repeated as (
  select assessment_id, text_sha256, name from named group by all having count(*) > 1
),
counted as (
  select named.*, row_number() over (partition by assessment_id, text_sha256, name order by row_number) as repetition
  from named
  semi join repeated using (assessment_id, text_sha256, name)
)
select * exclude (name), name as action_id
from named
anti join repeated using (assessment_id, text_sha256, name)
union all
select * exclude (name, repetition), if(repetition = 1, name, name || ' #' || repetition)
from counted
