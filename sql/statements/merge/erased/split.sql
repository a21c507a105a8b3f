-- why: history keeps the interval of a version that is now equal to the one before
insert into history.{{table}} by name
select versions.* replace (splits.valid_from as valid_from, 'update' as change, splits.run_id as run_id)
from history.{{table}} as versions
join staging.splits as splits
  on ({{parts_only}}) = (splits.key_1, splits.key_2)
  and versions.valid_from < splits.valid_from
  and (versions.valid_to is null or versions.valid_to > splits.valid_from)
where versions.change not in ('delete', 'erase')
