-- why: a kill may leave files of rows that say they are removed; one that came back with the same bytes stays
select distinct kind, sha256
from main.documents
where state = 'removed' and verified_at is null
  and (kind, sha256) not in (select (kind, sha256) from main.documents where path is not null)
order by all
