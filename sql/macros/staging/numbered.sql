-- Whether an object numbers its members from 0 or 1, as some programs write a list: `{"0": …, "1": …}`. Longer numbers
-- may be ids or moments, which would be lost.
create macro staging.is_numbered(held) as json_type(held) = 'OBJECT'
and coalesce(list_min(list_transform(json_keys(held), lambda name: try_cast(name as integer))) <= 1, false)
and list_bool_and(list_transform(json_keys(held), lambda name: regexp_full_match(name, '[0-9]{1,3}')));

-- The entries of a list in either form; NULL for anything else.
create macro staging.listed_entries(held) as if(
  staging.is_numbered(held),
  cast(json_extract(held, '$.*') as json[]),
  from_json(held, '["JSON"]')
);
