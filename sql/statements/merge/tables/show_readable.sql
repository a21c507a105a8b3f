-- why: SQL reads exact numbers from a copy, if a payload has one
create or replace view {{view}} as
select versions.*, coalesce(copies.copy, versions.payload) as readable
from {{versions}} as versions
left join {{copies}} as copies on {{is_same}}
