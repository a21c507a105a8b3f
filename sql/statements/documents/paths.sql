-- why: a file that no version names is an orphan
select distinct path from main.documents where path is not null
