-- why: a CSV may have brought columns before
select column_name from (describe main.{{table}})
