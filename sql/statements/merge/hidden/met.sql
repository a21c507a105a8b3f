-- why: the lines that matched anything in earlier runs
select line from hidden.met
