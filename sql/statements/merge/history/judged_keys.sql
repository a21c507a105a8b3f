-- why: a record that was held is judged again if this run listed it or looked it up
select key_1, key_2 from staging.judged_keys
