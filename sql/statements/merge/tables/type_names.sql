-- why: a type keeps the name of its table
select asset_type_id, table_name, name from main.asset_types order by table_name
