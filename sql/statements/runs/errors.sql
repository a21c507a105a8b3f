-- why: the reasons why resources of a run failed
select resource, error from ops.run_resources where run_id = $run_id and error is not null
