-- The first of several JSON values that says something; if all are blank, the first that is not null; else a null.
create macro staging.first_said(held) as coalesce(
  list_filter(held, lambda one: one::varchar not in ('null', '""', '[]', '{}'))[1],
  list_filter(held, lambda one: one::varchar <> 'null')[1],
  list_filter(held, lambda one: one is not null)[1]
);
