-- why: assets may name options by their labels, and a write names them by their ids
select asset_type_id, payload from asset_types
