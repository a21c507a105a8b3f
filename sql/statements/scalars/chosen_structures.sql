-- why: texts that were too long for memory come again, for the chosen structures
select place, structure, records
from staging.looks_chosen
where structure is not null
union all
select place, any_value(each_one.structure), any_value(records)
from (
  select *, hash(structure) as hashed
  from ({{structures}})
  where exists (from staging.looks_chosen where structure is null)
) as each_one
join staging.looks_chosen as chosen using (place, hashed)
where chosen.structure is null
group by place, hashed
