-- why: the versions that are kept replace all
delete from history.{{table}}
