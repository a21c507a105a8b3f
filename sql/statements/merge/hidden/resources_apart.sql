-- why: only these resources have records that nobody sees
select distinct resource from hidden.records
