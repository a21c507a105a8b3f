-- grain: {{key_columns}}
-- why: propsync makes all rows of a changed record again
select {{key_columns}} from staging.dirty_records
