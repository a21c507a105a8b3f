-- why: people ask how many things were erased; a forgotten one may come back
select count(*) as erasures, max(erased_at) as last_at, count(*) filter (is_forgotten) as forgotten from ops.erasures
