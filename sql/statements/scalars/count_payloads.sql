-- why: what stands in many of the records comes first
select count(*) from ({{payloads}})
