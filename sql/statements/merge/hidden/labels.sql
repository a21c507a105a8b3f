-- why: a warning names the nearest label
select distinct label from main.asset_type_fields
