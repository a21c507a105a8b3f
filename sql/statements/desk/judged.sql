-- why: one query tells whether a mart's rows differ from those that it has, and whether a key comes twice
select
  (select (count(*), sum(hash({{compared}}))) from {{staged}})
    is distinct from (select (count(*), sum(hash({{compared}}))) from {{target}}),
  exists (select {{key}} from {{staged}} group by all having count(*) > 1)
