-- why: a bag says how many documents an erasure or the years of documents took, unless a later version is in it
select count(distinct (assessment_id, kind)) as removed
from ({{holdings}}) as removed
where (assessment_id, kind) not in (
  select (assessment_id, kind) from main.documents where state = 'stored' and is_latest
)
