-- why: each night looks for a few of the stored files: a whole archive whose disk is not mounted would else go unseen
select path from main.documents
where path is not null and not coalesce(starts_with(last_error, $lost), false)
using sample 100 rows
