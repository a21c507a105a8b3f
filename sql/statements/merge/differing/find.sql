-- why: most rows of a table stay as they were, and only those that differ are written again. Their keys come once, so two
-- rows of one hash are one row
create or replace table staging.differing as
select staged.place as staged_place, target.place as target_place
from (select rowid as place, hash({{compared}}) as digest from {{staged}}) as staged
full join (select rowid as place, hash({{compared}}) as digest from {{target}}) as target
  on target.digest = staged.digest
where staged.place is null or target.place is null
