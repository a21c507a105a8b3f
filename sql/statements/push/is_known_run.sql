-- why: a plan that another copy made was compared with other tables
select count(*) from ops.runs where run_id = {{run_id}}
