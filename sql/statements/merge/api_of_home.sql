-- why: landing does not say which API it came from; each new state finds its other settings itself
select setting, value from ops.settings where setting = 'api'
