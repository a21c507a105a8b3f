-- grain: changed_at, resource, record_id
-- why: propsync tells an event again if a newer version, a new definition or a name may change what it shows
select changed_at, resource, record_id from staging.change_events
