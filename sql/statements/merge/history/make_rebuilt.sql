-- why: a rebuild must not lose a version of the database that it replaces
create or replace table staging.rebuilt as
{{query}}
