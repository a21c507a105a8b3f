-- why: a user whom no schedule has, and no list names, is probably a typing error
select distinct unnest(assigned_users) from schedules
