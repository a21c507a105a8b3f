-- why: one statement finds the values of all checks that compare
create or replace table staging.check_values as
{{query}}
