-- why: choices that are as before leave the marts as they are
select * from {{table}}
