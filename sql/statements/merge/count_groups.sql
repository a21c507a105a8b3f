-- why: a run may not delete all records of a property, a type, a status or a list of `performed` without approval
select {{value}} as value, count(*) from {{present}} as present where value is not null group by 1
