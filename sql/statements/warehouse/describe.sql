-- why: the columns of a table as it is now
select column_name, column_type from (describe {{table}})
