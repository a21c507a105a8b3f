-- A text that may be an id, else NULL: filters of the API separate ids by commas, so that no id has any.
create macro staging.one_id(text) as if(regexp_matches(text, '[,;]'), null, text);

-- The id of a user: a text, a number, or an object that holds one. NULL for anything else.
create macro staging.user_id(held) as case json_type(held)
  when 'OBJECT' then staging.one_id(staging.exact_text(list_filter(
    json_extract(held, ['$."id"', '$."Id"', '$."uid"', '$."_id"', '$."uuid"', '$."guid"', '$."$oid"']),
    lambda inner_id: json_type(inner_id) in ('VARCHAR', 'BIGINT', 'UBIGINT', 'DOUBLE')
  )[1]->>'$'))
  when 'VARCHAR' then staging.one_id(staging.exact_text(held->>'$'))
  when 'BIGINT' then held->>'$'
  when 'UBIGINT' then held->>'$'
  when 'DOUBLE' then held->>'$'
end;

-- A list of users as the API sends it: an array, or one user alone. NULL if there is no user in either form.
create macro staging.listed_users(held) as case
  when json_type(held) = 'ARRAY' then json_extract(held, '$[*]')
  when staging.user_id(held) <> '' then [held]
end;

-- The ids of the users in such a list. Users without an id are left out, and so is an empty text: it is nobody.
create macro staging.user_ids(held) as list_filter(
  list_transform(staging.listed_users(held), lambda user: staging.user_id(user)),
  lambda user_id: user_id <> ''
);

-- The values in such a list that name no user. A null and an empty text say nothing.
create macro staging.not_users(held) as list_filter(
  coalesce(staging.listed_users(held), [held]),
  lambda user: staging.user_id(user) is null and json_type(user) <> 'NULL'
);
