-- why: if most known records have other bytes, a member may differ by itself at each reading
with known as (
  select {{parts}}, payload_hash from {{history}} as versions where valid_to is null and change not in ('delete', 'erase')
),
changed as (
  select key_1, key_2
  from {{listed}} as listed
  join known using (key_1, key_2)
  group by key_1, key_2
  having bool_and(listed.payload_hash <> known.payload_hash)
)
select 2 * (select count(*) from changed) > (select count(*) from known) as is_mostly_changed
