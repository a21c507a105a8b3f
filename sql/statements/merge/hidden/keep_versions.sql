-- why: the second file keeps a record as it came
insert into {{kept}}
select $resource, key_1, key_2, $run_time::timestamptz, record_hash, payload_hash, lot.whole
from {{lot}} as lot
join staging.changed as changed on changed.place = lot.place
where lot.shown_hash is not null and changed.is_concluded = $is_concluded
