-- why: the report names the runs that opened lost versions
select run_id, versions from staging.lost_versions order by run_id
