-- why: people name options by their labels, and the API takes their ids; nobody can choose one that is offered no more
select asset_type_id, field_id, option_id, label, is_listed from asset_field_options
