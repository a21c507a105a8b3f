-- why: landing may be gone; each new state finds its other settings itself
select setting, value from ops.settings where setting in ('api', 'earlier_apis')
