-- why: a dry run shows where something is
select count(*) from {{table}} as one
where contains(lower(regexp_replace(one::varchar, '\s+', ' ', 'g')), lower($words))
