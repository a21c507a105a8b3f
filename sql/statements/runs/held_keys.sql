-- why: what people accept by naming a run is what that run held and what is held still
select key_1, key_2 from ops.held_deletes where run_id = $run_id and resource = $resource
