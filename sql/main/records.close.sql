-- grain: {{key_columns}}
-- why: all rows of a record that changed are made again
select {{key_columns}} from staging.dirty_records
