-- why: a status with a spelling mistake has no documents, and nothing else would say so
select wanted.status
from (select unnest($statuses) as status) as wanted
where not exists (from {{assessments}} as present where staging.is_among(present.status, [wanted.status]))
order by all
