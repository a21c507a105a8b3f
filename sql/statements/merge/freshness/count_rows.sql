-- why: one query counts the rows of many tables that a run changed
select name, number from ({{counts}})
