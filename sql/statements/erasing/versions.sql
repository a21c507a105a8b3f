-- why: history keeps the intervals of an erased record
select valid_from, valid_to, run_id from history.{{table}} where {{key}} = $record_id order by valid_from
