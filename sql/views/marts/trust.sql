-- grain: table_name
-- why: how far to trust a table: whether its resource was read completely, when, and what is known to be wrong. Tables of
-- bundles come from documents, which no list has
with lists as (
  -- those of the API's document, also one that no run was asked to read, and further lists
  select unnest(['asset_types', 'assets', 'assessment_types', 'assessments', 'schedules']) as resource
  union
  select resource from ops.run_resources
),
resources as (
  select
    table_name,
    case
      when table_name in ('asset_field_values') then 'assets'
      when table_name in ('asset_type_fields', 'asset_field_options') then 'asset_types'
      when table_name in ('assessment_flags', 'assessment_flag_history') then 'assessments'
      when table_name in ('bundle_actions', 'bundle_controls', 'bundle_elements') then 'documents'
      else table_name
    end as resource,
    row_count
  from ops.tables
  where table_schema = 'main' and table_name <> 'documents'
  union all
  -- a list of which propsync has no record: it was empty, or no run has read it
  select resource, resource, 0
  from lists
  where resource not in (select table_name from ops.tables where table_schema = 'main')
),
tried as (
  -- a backfill that reads its part completely says nothing about a list that the night could not read
  select
    resource,
    arg_max(verdict, run_id) filter (flow = 'nightly') as verdict,
    arg_max(rejected, run_id) filter (flow = 'nightly') as rejected
  from lists
  left join ops.run_resources using (resource)
  left join ops.runs using (run_id)
  group by resource
  union all
  select 'documents', null, null
  where exists (from ops.runs where flow = 'archive')
),
complete as (
  -- if a clock was ahead before, a run begins later than it ends, and its end has the true time
  select resource, arg_max(least(started_at, ended_at), run_id) as as_of
  from ops.run_resources
  join ops.runs using (run_id)
  -- every other flow reads a part, or nothing of the lists
  where verdict in ('certified', 'agreed') and flow = 'nightly'
  group by resource
),
held as (
  select resource, count(*) as held from ops.held_deletes group by resource
),
issues as (
  -- flags are a part of assessments; CSVs of bundles have issues of their own, and of values in the marts
  select
    case
      when resource in ('assessment_flags', 'assessment_flag_history') then 'assessments'
      when resource = 'documents' then split_part(name, '.', 1)
      else resource
    end as source,
    count(*) as issues
  from ops.value_issues
  group by source
),
broken as (
  select severity, unnest(string_split(reads, ', ')) as full_name from ops.checks where offending > 0
),
checks as (
  select
    replace(full_name, 'main.', '') as table_name,
    count(*) filter (severity = 'fail') as failing,
    count(*) filter (severity = 'warn') as warning
  from broken
  where starts_with(full_name, 'main.')
  group by table_name
)
select
  resources.table_name,
  resources.resource,
  tried.verdict,
  complete.as_of,
  date_diff('hour', complete.as_of, get_current_timestamp()) as hours_since,
  resources.row_count,
  coalesce(held.held, 0) as held,
  coalesce(tried.rejected, 0) as rejected,
  coalesce(issues.issues, 0) as issues,
  coalesce(checks.failing, 0) as failing_checks,
  coalesce(checks.warning, 0) as warning_checks
from resources
join tried using (resource)
left join complete using (resource)
left join held using (resource)
left join issues
  on issues.source = case when resources.resource = 'documents' then resources.table_name else resources.resource end
left join checks using (table_name)
