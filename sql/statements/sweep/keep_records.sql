-- why: a record goes with its answer
delete from {{records}} where place >> 32 not in (select answer from {{answers}})
