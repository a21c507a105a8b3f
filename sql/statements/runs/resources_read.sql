-- why: a resource that no run has read has no rows to keep when it fails
select distinct resource from ops.run_resources where verdict <> 'failed'
