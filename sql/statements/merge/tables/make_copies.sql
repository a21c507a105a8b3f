-- why: copies of payloads that DuckDB would write differently
create or replace table {{copies}} ({{columns}}, copy json)
