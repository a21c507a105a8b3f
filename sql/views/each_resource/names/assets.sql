-- grain: asset_type_id
-- why: a type has its present name at every moment, as it has in main.assets
select asset_type_id, name as asset_type from main.asset_types
