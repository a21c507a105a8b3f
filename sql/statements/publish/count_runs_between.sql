-- why: a run since the note may have put files in place and died before it wrote a note of its own
select count(*) from ops.runs where run_id > $noted and run_id < $run_id
