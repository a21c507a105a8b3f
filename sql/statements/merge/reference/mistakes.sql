-- why: a report names the lists that a mistake keeps back, and the first mistake of each
select list, file, line, issue
from ops.reference_issues
where is_mistake and run_id = $run_id
order by all
