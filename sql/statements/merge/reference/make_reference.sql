-- why: a list is compared with the one before, and replaces it only if it differs
create or replace table staging.reference ({{columns}})
