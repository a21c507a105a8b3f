-- why: assets may name options by their labels, and a write names them by their ids; a type that only assets name has
-- no definition
select asset_type_id, payload from asset_types where payload is not null
