-- why: each table that has the column may name ids that no other does
select {{column}} from {{table}} as present
