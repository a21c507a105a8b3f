-- why: people who accept a run accept the records that it held and that are held still
select key_1, key_2 from ops.held_deletes where run_id = $run_id and resource = $resource
