-- why: a listed record as models read it: its key and position, with what its answer says about all of its records
create or replace view {{listed}} as
select * exclude (place), (place & 4294967295)::integer as position
from {{records}}
join {{answers}} on answer = place >> 32
