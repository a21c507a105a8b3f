-- why: one pass over a table finds the columns that may have a trace
select {{counts}} from {{relation}}
