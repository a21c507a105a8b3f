-- why: a run may not delete all records of a property, type or status without approval
select {{column}}, count(*) from {{present}} as present where {{column}} is not null group by 1
