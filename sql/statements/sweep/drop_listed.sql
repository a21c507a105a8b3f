-- why: staged keys would stay in memory until the run ends
drop view if exists {{listed}}
