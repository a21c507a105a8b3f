-- why: a known record that no list showed may be gone
select {{first}}, {{second}}, {{property}}, {{type}}, {{status}}, {{performed}}
from {{present}} as present
where ({{key_columns}}) not in (select ({{listed_key}}) from {{listed}} where key_1 is not null){{scope}}
order by 1, 2
