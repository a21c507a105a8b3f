-- why: a file of an erasure from before somebody ended it would erase again
select erasure_id from ops.erasures where is_forgotten
