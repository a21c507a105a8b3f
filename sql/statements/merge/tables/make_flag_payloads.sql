-- why: the flags of assessments, each as JSON, are read twice
create or replace table staging.flag_payloads as
select unnest(staging.entries(payload->'$."flags"')) as payload from ({{payloads}})
