-- title: How propsync read each table
-- of: marts.trust
-- why: the last complete read of each table, and what is known to be wrong with it
select
  table_name as "table",
  if(verdict in ('certified', 'agreed'), 'complete', verdict) as last_read,
  as_of as last_complete_read,
  row_count as rows,
  held,
  rejected,
  issues as values_that_do_not_fit,
  case
    when verdict = 'failed' or as_of is null then 'bad'
    when verdict not in ('certified', 'agreed') or hours_since > 36 or held > 0 or rejected > 0 then 'careful'
    else 'good'
  end as trust,
  case
    when as_of is null then 'propsync has never read them completely'
    when verdict = 'failed' then 'the last run could not read them, so these are the rows of an earlier night'
    when verdict not in ('certified', 'agreed') then 'the last run did not read them completely; propsync deleted nothing'
    when hours_since > 36 then 'the last complete read is more than 36 hours ago'
    when held > 0 then held || ' stay although the API no longer lists them (ops.held_deletes)'
    when rejected > 0 then rejected || ' could not be read (ops.rejected_records)'
  end as concern
from marts.trust
where table_name = resource  -- its other tables are of the same read
order by trust, table_name
