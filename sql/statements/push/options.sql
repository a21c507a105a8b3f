-- why: people name options by their labels, and the API takes their ids
select asset_type_id, field_id, option_id, label from asset_field_options
