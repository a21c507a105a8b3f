-- why: ids that only a list has are typing errors, or records that are gone
insert into staging.listed_ids
select $list, $file, {{key}} from {{table}}
