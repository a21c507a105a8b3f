-- The members of an array, or those of an object that is keyed by an id; NULL for anything else.
create macro staging.entries(held) as case json_type(held)
  when 'ARRAY' then json_extract(held, '$[*]')
  when 'OBJECT' then json_extract(held, '$.*')
end;

-- The names of these members, in the same order; NULL for an array.
create macro staging.entry_names(held) as if(json_type(held) = 'OBJECT', json_keys(held), null);
