-- why: columns that the API's members have; a list's column of that name gets another
select column_name from ops.columns where table_schema = 'main' and table_name = $table
