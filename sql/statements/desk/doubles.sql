-- why: a mart with a key twice fails, and keeps its rows
select exists (select {{key}} from {{staged}} group by all having count(*) > 1)
