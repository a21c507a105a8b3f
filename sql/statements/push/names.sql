-- why: names from people's own lists, beside ids
select {{key}}::varchar, {{name}}::varchar from {{table}}
