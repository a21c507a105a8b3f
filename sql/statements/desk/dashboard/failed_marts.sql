-- why: a mart that failed has rows of an earlier night
select mart, error from ops.marts where error is not null order by mart
