-- why: a resource without new versions keeps its file of history
select count(*) from history.{{table}} where valid_from > $since and valid_from <= $until
