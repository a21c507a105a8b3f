-- why: two values of one subject compare with each other, so the check would find a difference every night
select subject
from staging.check_values
group by check_name, subject
having count(*) > 1
order by subject
limit 1
