-- why: no row of the run log names a record of a hidden type
select {{key_columns}} from {{records_now}} as records
