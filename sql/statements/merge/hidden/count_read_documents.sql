-- why: most runs see no assessment go over to a hidden type, and write nothing then
select count(*) from main.documents where read_at is not null and ({{hidden}})
