-- why: keys, times and hashes of every version, to compare the histories of two databases
select {{parts}}, valid_from, change, record_hash, run_id from {{history}} as versions
