-- why: a plan is for the API whose records it was compared with
select value from ops.settings where setting = 'api'
