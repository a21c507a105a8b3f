-- why: a database that does not know an erasure is older than it
select erasure_id from ops.erasures
