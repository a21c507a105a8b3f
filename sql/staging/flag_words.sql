-- grain: written
-- why: many flags share few words, so propsync decides once what each word says
with statuses as (
  select {{flag_status}} as written from main.assessment_flags as flags
  union
  select {{entry_status}} as written from main.assessment_flag_history as entries
)
select written, staging.state(written, $flag_open, $flag_closed) as state
from statuses
where written is not null
