-- why: an export tells beforehand how much there is
select count(*), coalesce(sum(size_bytes), 0)::bigint from ({{holdings}})
