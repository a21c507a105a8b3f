-- why: people name a type by its id or by any of its names
select asset_type_id, name, name_singular, table_name, is_listed from asset_types
