-- why: earlier versions keep the columns of the current table
insert into {{table}} by name
select changed_at as valid_from{{kept}}
from staging.earlier_records
