-- grain: asset_type_id, field_id
-- why: what the tables said about a field before this build replaces them
select * from main.asset_type_fields
