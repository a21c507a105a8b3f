-- why: for a table with few fields, an aggregate for each is faster than pivots, which take values of one type each
select asset_id{{columns}}
from field_values
group by all
