-- why: each night looks whether every stored file exists: an archive whose disk is not mounted would else go unseen
select distinct path from main.documents
where path is not null and not coalesce(starts_with(last_error, $lost), false)
order by path
