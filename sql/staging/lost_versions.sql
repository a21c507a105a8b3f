-- grain: run_id
-- why: a rebuild must not lose a version of an older database. A version is kept if the rebuilt history shows the same
-- at that moment. An earlier run, which that database had to pass over, may have opened it
with witnessed as (
  select key_1, key_2, valid_from, change = 'delete' as is_gone, record_hash, run_id from staging.witnessed
),
rebuilt as (
  select key_1, key_2, valid_from, change = 'delete' as is_gone, record_hash from staging.rebuilt
),
compared as (
  select
    witnessed.run_id,
    coalesce(rebuilt.is_gone, true) = witnessed.is_gone
      -- a record that went over to a hidden type: the older database shows a tombstone in place of its new version
      or (witnessed.is_gone and rebuilt.valid_from = witnessed.valid_from) as is_there_alike,
    witnessed.is_gone
      or rebuilt.valid_from = witnessed.valid_from
      or rebuilt.record_hash = witnessed.record_hash as is_same
  from witnessed
  asof left join rebuilt
    on witnessed.key_1 = rebuilt.key_1
    and witnessed.key_2 = rebuilt.key_2
    and witnessed.valid_from >= rebuilt.valid_from
)
select run_id, count(*) as versions
from compared
where not (is_there_alike and coalesce(is_same, false))
group by run_id
