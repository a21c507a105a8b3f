-- why: names carried over from the tables that a rebuild replaces
select * from staging.{{table}}
