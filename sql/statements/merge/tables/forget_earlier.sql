-- why: a repeated build types its versions again
delete from {{table}}
where ({{key_columns}}, valid_from) in (select ({{key_columns}}, valid_from) from staging.earlier_keys)
