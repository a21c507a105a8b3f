-- why: propsync first publishes the changes that a killed run could not publish
select max(changed_run_id) from ops.tables
