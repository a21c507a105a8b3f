-- why: documents are gone for good, and a clock that is years ahead makes every delete look old
select max(started_at) from ops.runs where started_at < $now::timestamptz - interval 20 hours
