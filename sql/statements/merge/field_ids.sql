-- why: the ids of all fields that asset types define or have defined
select distinct field_id from main.asset_type_fields
