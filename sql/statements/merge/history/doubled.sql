-- why: a list that moves shows a key twice on two pages, but two records of one answer, or of a still list, have one key
with pages as (
  select *, case when $is_still then 0 else sequence end as place
  from {{listed}}
  where key_1 is not null and payload_hash is not null and role = 'page'
),
doubled as (
  select list, place, key_1, key_2
  from pages
  group by all
  having count(distinct payload_hash) > 1
)
select pages.sequence, pages.position, pages.list
from pages
join doubled using (list, place, key_1, key_2)
join staging.latest as latest on latest.key_1 = pages.key_1 and latest.key_2 = pages.key_2
where pages.payload_hash <> latest.payload_hash
order by pages.sequence, pages.position
limit $most
