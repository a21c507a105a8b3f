-- why: versions that closed before any build saw them may have members that no other version has
select payload
from history.{{table}}
where valid_from > {{built_through}} and valid_to is not null and change not in ('delete', 'erase')
