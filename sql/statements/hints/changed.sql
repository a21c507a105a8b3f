-- why: a hint is settled by a new version of a record that it named
select {{key_columns}} from {{history}} as versions where run_id = $run_id
