-- why: earlier days count the properties that such a list had by then
insert into staging.listed_by_api
select {{key}}, valid_from, valid_to from {{history}} where change not in ('delete', 'erase')
