-- why: a list that moves shows a key twice on two pages, but one answer shows two records that have one key
with doubled as (
  select sequence, key_1, key_2
  from {{listed}}
  where key_1 is not null and payload_hash is not null and role = 'page'
  group by all
  having count(distinct payload_hash) > 1
)
select listed.sequence, listed.position, listed.list
from {{listed}} as listed
join doubled using (sequence, key_1, key_2)
join staging.latest as latest on latest.key_1 = listed.key_1 and latest.key_2 = listed.key_2
where listed.payload_hash <> latest.payload_hash
order by listed.sequence, listed.position
limit $most
