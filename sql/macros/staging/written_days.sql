-- The days from one day to another. If one is still to come, or both are in the wrong order, one is a mistake: no age then.
create macro staging.age_in_days(raised_on, until, today) as
  if(raised_on <= until and until <= today, date_diff('day', raised_on, until), null)::integer;

-- The days since a day, 0 before it; NULL without one, which greatest() would leave out.
create macro staging.days_since(day, today) as if(day > today, 0, date_diff('day', day, today))::integer;

-- Whether a day is one that was, and no earlier than another.
create macro staging.has_come(day, beginning, today) as coalesce(day between coalesce(beginning, day) and today, false);

-- A day as it was written, if it is none that was; NULL if all is well.
create macro staging.day_misfit(written, day, beginning, today) as
  if(staging.has_come(day, beginning, today), null, written);

-- The fault of a day as it was written, in words.
create macro staging.day_issue(written, day, today) as case
  when day is null then staging.date_issue(written)
  when day > today then 'is a date after today'
  else 'is a date before it was raised'
end;

-- The state that a closing date shows where no word does. A text that is no date says nothing.
create macro staging.state_by_date(written, closes_by_date, zone) as case
  when not staging.is_no_date(written) then if(staging.day_written(written, zone) is null, 'unknown', 'closed')
  when closes_by_date then 'open'
  else 'unknown'
end;
