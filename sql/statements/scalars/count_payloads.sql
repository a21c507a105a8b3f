-- why: members of many records come first
select count(*) from ({{payloads}})
