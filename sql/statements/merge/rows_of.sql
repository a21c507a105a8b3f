-- why: what a rebuild cannot find in landing is carried over as it is
select * from {{table}}
