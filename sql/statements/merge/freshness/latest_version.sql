-- why: tables are built up to the latest version that they show
select max(valid_from) from history.{{table}}
