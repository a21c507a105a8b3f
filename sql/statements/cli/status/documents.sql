-- why: how many documents are stored and lost; a lost one has its mark in last_error, and one without a file is neither
with versions as (
  select *, state = 'stored' and coalesce(starts_with(last_error, {{lost}}), false) as is_lost from documents
)
select
  count(*) filter (is_latest and state = 'stored' and not is_lost) as stored,
  count(*) filter (is_lost) as lost,
  count(*) filter (version > 1 and state = 'stored' and not is_lost) as later_versions,
  count(distinct path) filter (state = 'stored' and not is_lost) as files,
  coalesce(sum(size_bytes) filter (state = 'stored' and not is_lost), 0)::bigint as bytes
from versions
