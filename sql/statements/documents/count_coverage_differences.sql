-- why: propsync does not publish an unchanged mart again
with staged as (
  from staging.document_coverage
),
shown as (
  from marts.document_coverage
),
differing as (
  (from staged except all from shown)
  union all
  (from shown except all from staged)
)
select count(*) from differing
