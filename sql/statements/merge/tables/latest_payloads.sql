-- why: the payloads of all records that are not gone
select payload from history.{{table}} where valid_to is null and change not in ('delete', 'erase')
