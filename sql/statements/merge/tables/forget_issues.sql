-- why: propsync judges all values of a dirty record again
delete from ops.value_issues
where resource = $resource and record_id in (select record_id from staging.dirty_records)
