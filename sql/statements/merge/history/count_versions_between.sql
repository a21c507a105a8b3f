-- why: a resource without new versions keeps its file of history
select count(*) from {{history}} as versions where valid_from > $since and valid_from <= $until
