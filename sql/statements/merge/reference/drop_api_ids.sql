-- why: the ids are of no further use
drop table staging.api_ids
