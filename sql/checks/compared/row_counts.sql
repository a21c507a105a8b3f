-- severity: warn
-- why: a table that loses a fifth of its rows in one run is worth a look
-- direction: down
-- share: 0.2
-- floor: 20
select table_schema || '.' || table_name as subject, row_count as value, null as total
from ops.tables
where table_schema in ('main', 'by_type')
