-- why: the number above the rows, of the same SQL
select count(*) from (
{{query}}
)
