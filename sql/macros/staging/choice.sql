-- The options that somebody chose, in words. An option that no type offers shows its id: without it, an answer looks like
-- none. NULL without options, '' for no choice.
create macro staging.choice(ids, labels) as if(
  ids is null,
  null,
  array_to_string(list_transform(list_zip(ids, labels), lambda chosen: coalesce(chosen[2], chosen[1])), '; ')
);
