-- why: a bundle whose rows have a text has it in its CSVs, in whatever encoding
select distinct document_sha256 from {{table}} as one
where contains(lower(regexp_replace(one::varchar, '\s+', ' ', 'g')), lower($words))
