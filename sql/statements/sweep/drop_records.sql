-- why: staged keys would stay in memory until the run ends
drop table if exists {{records}}
