-- grain: user_id
-- why: people's list of users. Two users may have one name, so the label of each has the id too
select
  user_id,
  name,
  if(count(*) over (partition by name) = 1, name, name || ', ' || user_id) as label,
  team,
  email
from staging.listed_user_texts
