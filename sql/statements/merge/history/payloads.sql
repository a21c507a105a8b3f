-- why: propsync hashes the payload of every version again
select {{key_columns}}, valid_from, payload::varchar as payload from history.{{table}} where change <> 'erase'
