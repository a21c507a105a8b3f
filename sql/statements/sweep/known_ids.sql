-- why: a list can be narrowed by each id that any table has, such as a property that only schedules name
select id from ({{ids}}) as known(id) where id is not null order by id
