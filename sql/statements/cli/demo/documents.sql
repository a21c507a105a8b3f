-- why: propsync stores each version of a document, and queries can read a bundle's content
select
  kind,
  count(*) filter (state = 'stored') as versions,
  count(*) filter (version > 1) as "of them newer",
  round(sum(size_bytes) / 1e6, 1) as "MB"
from documents
group by all
union all
select 'actions in bundles', count(*), null, null from bundle_actions
order by kind desc
