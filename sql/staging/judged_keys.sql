-- grain: key_1, key_2
-- why: a read of a part judges again only the held deletes that it listed or looked up
with held as (
  select key_1, key_2 from ops.held_deletes where resource = $resource
)
select key_1, key_2 from held semi join {{listed}} using (key_1, key_2)
union
select key_1, key_2 from held semi join staging.concluded using (key_1, key_2)
