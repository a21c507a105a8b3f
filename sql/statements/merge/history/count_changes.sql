-- why: a run counts its new versions by what opens them
select change, count(*) from staging.changed group by change
