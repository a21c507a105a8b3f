-- why: an export reports its size beforehand
select count(*), coalesce(sum(size_bytes), 0)::bigint from ({{holdings}})
