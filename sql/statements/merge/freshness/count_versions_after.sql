-- why: a list of types without a new version needs no build
select count(*) from history.{{table}} where valid_from > $since
