-- why: a version that continues the one before is hidden in the same parts
insert into {{kept}} by name
select whole.* replace (splits.valid_from as valid_from)
from {{kept}} as whole
join history.{{table}} as versions
  on ({{parts_only}}) = (whole.key_1, whole.key_2) and versions.valid_from = whole.valid_from
join staging.splits as splits
  on splits.key_1 = whole.key_1
  and splits.key_2 = whole.key_2
  and versions.valid_from < splits.valid_from
  and (versions.valid_to is null or versions.valid_to > splits.valid_from)
where whole.resource = {{resource}} and versions.change not in ('delete', 'erase')
