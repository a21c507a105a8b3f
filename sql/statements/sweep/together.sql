-- why: the total of the combined query is that of all lists: a record may be on several of them
with shown as (
  select * from {{listed}} where attempt = $attempt and role = 'page'
),
rejected as (
  select count(*) as records from shown where key_1 is null group by list
)
select
  (select count(distinct (key_1, key_2)) from shown where key_1 is not null),
  (select coalesce(max(records), 0) from rejected),
  (select coalesce(sum(records), 0) from rejected)
