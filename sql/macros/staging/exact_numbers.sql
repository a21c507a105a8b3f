-- Remove the marks of `records.reading`: chr(1) and # before a number as written, chr(1) and ' before a text.
create macro staging.exact_text(told) as if(starts_with(told, chr(1)), substr(told, 3), told);

-- The same inside JSON. Only where a text begins does a quote follow one of these letters: inside a text it is escaped.
create macro staging.exact_json(told) as if(
  contains(told, '"\u0001'),
  regexp_replace(
    regexp_replace(told, '(^|[:,\[{\s])"\\u0001#([-+.0-9eE]+)"', '\1\2', 'g'),
    '(^|[:,\[{\s])"\\u0001''',
    '\1"',
    'g'
  )::json,
  told
);

-- The result of json_type, and for a marked number that it is one.
create macro staging.exact_kind(told) as if(starts_with(told, '"\u0001#'), 'DOUBLE', json_type(told));

-- A JSON value as text, as the API sends it; NULL for null. A value that is not a text is its own text.
create macro staging.exact_value(told) as case
  when starts_with(told, '"') then staging.exact_text(told->>'$')
  when told::varchar <> 'null' then staging.exact_json(told)::varchar
end;
