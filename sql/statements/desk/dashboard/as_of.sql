-- why: the page is of the last run that read anything, as the marts are
select max(started_at) from ops.runs where flow <> 'rebuild'
