-- why: the difference is the number of versions that comparing again deleted
select count(*) from history.{{table}}
