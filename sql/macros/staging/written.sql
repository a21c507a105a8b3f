-- A word for comparison: `In Progress`, `in_progress` and `inProgress` are one.
create macro staging.word(written) as nullif(regexp_replace(lower(written), '[\s_-]+', '', 'g'), '');

-- Whether the words have this one; NULL for no word.
create macro staging.is_among(written, words) as list_contains(
  list_transform(words, lambda one: staging.word(one)),
  staging.word(written)
);

-- What a word says of a state. A word that neither list has is unknown, and so is a dash.
create macro staging.state(written, open_words, closed_words) as case
  when staging.is_among(written, open_words) then 'open'
  when staging.is_among(written, closed_words) then 'closed'
  when not staging.is_blank(written) then 'unknown'
end;

-- The place of a priority in the order, the most urgent first; NULL for a word that it lacks.
create macro staging.rank_of(written, words) as list_position(
  list_transform(words, lambda one: staging.word(one)),
  staging.word(written)
);

-- An amount as the API writes numbers: 1200, 1200.50.
create macro staging.amount(written) as if(
  regexp_full_match(written, '-?\d+(\.\d+)?'), nullif(try_cast(written as double), 'inf'::double), null
);

-- Whether a text is an amount in a form that propsync does not read: £1,200, 300 GBP, 1.200,50 €.
create macro staging.is_other_amount(written) as staging.amount(written) is null
and regexp_full_match(written, '-?(\p{Sc}|\p{L}{3}\b)? ?-?\d[\d.,'' ]*(\p{Sc}|\b\p{L}{3}|k)?');
