-- why: the latest versions of the records to build again, without those that are gone
select *
from {{history}}
semi join staging.dirty_records using ({{key_columns}})
where valid_to is null and change not in ('delete', 'erase')
