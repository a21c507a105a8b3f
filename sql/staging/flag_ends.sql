-- grain: assessment_id, flag_position
-- why: the last entry of a flag's history says its state; the first closing entry after the last other one, when it
-- was closed
with entries as (
  select
    assessment_id,
    flag_position,
    {{entry_status}} as written,
    {{entry_moment}} as moment,
    -- texts with several offsets do not sort as their moments follow each other, and 31/01/2026 does not come after
    -- 01/02/2026. Without a moment, the API's order counts
    (
      coalesce(staging.moment_written({{entry_moment}}, $time_zone), '-infinity'::timestamptz),
      if(staging.moment_written({{entry_moment}}, $time_zone) is null, '', {{entry_moment}}),
      position
    ) as place
  from main.assessment_flag_history as entries
),
judged as (
  select entries.*, words.state
  from entries
  left join staging.flag_words as words on words.written = entries.written
),
last_entries as (
  select
    assessment_id,
    flag_position,
    arg_max(written, place) filter (written is not null) as written,
    arg_max(state, place) filter (state is not null) as state,
    arg_min(moment, place) filter (moment is not null) as first_moment,
    max(place) filter (state <> 'closed') as last_other
  from judged
  group by assessment_id, flag_position
),
closings as (
  select
    judged.assessment_id,
    judged.flag_position,
    arg_min(judged.moment, judged.place) filter (judged.moment is not null) as moment
  from judged
  join last_entries using (assessment_id, flag_position)
  where judged.state = 'closed' and (last_other is null or judged.place > last_other)
  group by judged.assessment_id, judged.flag_position
)
select
  last_entries.assessment_id,
  last_entries.flag_position,
  last_entries.written,
  last_entries.state,
  last_entries.first_moment,
  closings.moment as closed_moment
from last_entries
left join closings using (assessment_id, flag_position)
