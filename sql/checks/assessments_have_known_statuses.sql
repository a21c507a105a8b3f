-- severity: warn
-- why: if no assessment has a status of the API's document, its words are others, and none counts as approved
with known as (
  select status, lower(status) in ('inprogress', 'submitted', 'approved') as is_known
  from main.assessments
  where status is not null
)
select status, count(*) as assessments
from known
where not (select bool_or(is_known) from known)
group by status
order by status
