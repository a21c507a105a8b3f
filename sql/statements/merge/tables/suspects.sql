-- why: payloads that DuckDB may write differently, such as those with long numbers
select {{named}}, payload::varchar as payload
from {{versions}}
where regexp_matches(payload, $mark)
  or regexp_matches(payload, $member)
  or regexp_matches(payload, $first)
  or regexp_matches(payload, $further)
