-- why: files that were published before an erasure may not stay
select md5(string_agg(erasure_id, ' ' order by erasure_id)) from ops.erasures
