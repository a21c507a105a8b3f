-- Remove the marks of `records.reading`: chr(1) and # before a number as written, chr(1) and ' before a text.
create macro staging.exact_text(written) as if(starts_with(written, chr(1)), substr(written, 3), written);

-- The same inside JSON. Only where a text begins does a quote follow one of these letters: inside a text it is escaped.
create macro staging.exact_json(written) as if(
  contains(written, '"\u0001'),
  regexp_replace(
    regexp_replace(written, '(^|[:,\[{\s])"\\u0001#([-+.0-9eE]+)"', '\1\2', 'g'),
    '(^|[:,\[{\s])"\\u0001''',
    '\1"',
    'g'
  )::json,
  written
);

-- The result of json_type, and for a marked number that it is one.
create macro staging.exact_kind(written) as if(starts_with(written, '"\u0001#'), 'DOUBLE', json_type(written));

-- A JSON value as text, as the API sends it; NULL for null. A value that is not a text is its own text.
create macro staging.exact_value(written) as case
  when starts_with(written, '"') then staging.exact_text(written->>'$')
  when written::varchar <> 'null' then staging.exact_json(written)::varchar
end;
