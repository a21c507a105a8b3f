-- why: conditions compare a few columns of people's list of properties
create or replace table staging.condition_cells (property_id varchar, column_name varchar, cell varchar)
