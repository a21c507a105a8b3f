-- why: what a killed run changed and could not publish is published first
select max(changed_run_id) from ops.tables
