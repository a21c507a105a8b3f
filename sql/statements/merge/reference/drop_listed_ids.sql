-- why: the ids are of no further use
drop table staging.listed_ids
