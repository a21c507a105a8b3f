-- why: no table has the rows of an earlier bundle, nor of one that propsync has not opened
select distinct path from main.documents where kind = 'bundle' and path is not null
except
select path from main.documents where kind = 'bundle' and is_latest and read_at is not null
order by 1
