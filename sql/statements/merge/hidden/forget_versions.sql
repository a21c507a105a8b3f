-- why: a killed run may have kept versions that it never opened
delete from hidden.versions where resource = $resource and valid_from = $run_time
