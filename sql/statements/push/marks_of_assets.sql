-- why: a reviewer knows a door by its tag, not by its id
select asset_id, coalesce(serial, qr) as mark
from marts.asset_register
where asset_id in (select unnest($ids)) and coalesce(serial, qr) is not null
