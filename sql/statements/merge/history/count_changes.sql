-- why: a run counts its new versions by what opens them. Of those that it concludes, no page showed the record
select change, count(*), count(*) filter (where not is_concluded) from staging.changed group by change
