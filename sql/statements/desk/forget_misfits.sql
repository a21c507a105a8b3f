-- why: a value that fits now is no issue any more
delete from ops.value_issues
where resource in ('assessment_flags', 'bundle_actions')
  and (resource, record_id, name, issue, value) not in (
    select (resource, record_id, name, issue, value) from staging.misfits
  )
