-- why: the rows of a list are of no further use
drop table staging.reference
