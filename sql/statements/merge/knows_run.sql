-- why: of two databases the one that knows the other's latest run has all that the other has
select count(*) from ops.runs where run_id = {{run_id}}
