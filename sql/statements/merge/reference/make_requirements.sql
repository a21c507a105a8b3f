-- why: Python reads conditions, so that no text of people's is ever SQL
create or replace table staging.stated_requirements (
  line integer,
  assessment_type_id varchar,
  property_id varchar,
  column_name varchar,
  operator varchar,
  value_text varchar,
  value_number double,
  every_months integer
)
