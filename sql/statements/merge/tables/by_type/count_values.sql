-- why: a column without a value may still become one of dates or times
select count({{column}}) from by_type.{{table}}
