-- why: a mart with a key twice fails, and keeps its rows
select exists (select {{key}} from {{built}} group by all having count(*) > 1)
