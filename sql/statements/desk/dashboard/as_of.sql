-- why: the page is of the last run that read anything, as the marts are
select max(started_at) as as_of from ops.runs where flow not in ('rebuild', 'erase', 'hide')
