-- why: what an answer says about all of its records waits here once for each answer
create or replace table {{answers}} (
  answer integer,
  attempt integer,
  list varchar,
  role varchar,
  sequence bigint,
  recency bigint,
  status varchar,
  performed varchar
)
