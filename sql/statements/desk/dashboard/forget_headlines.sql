-- why: the last run of a day gives the day its numbers
delete from ops.headlines where day = $day
