-- why: people may name a type of asset instead of its table
select name, table_name from asset_types where name is not null and table_name is not null
