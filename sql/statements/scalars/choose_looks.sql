-- why: if a member has too many structures to inspect, the most frequent come first
create or replace table staging.looks_chosen as
from staging.looks
qualify
  sum(size) over (partition by place order by records desc, hashed rows unbounded preceding) <= $most_text
