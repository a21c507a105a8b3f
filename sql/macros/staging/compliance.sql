-- Whether an assessment is approved. The API may write its statuses with capitals, and answers to `approved` all the same.
create macro staging.is_approved(status) as coalesce(lower(status) = 'approved', false);

-- A schedule that is done or dropped names no next date. The API documents two statuses, both open, and keeps others back.
create macro staging.is_finished(status) as coalesce(
  lower(status) in ('completed', 'complete', 'done', 'finished', 'closed', 'cancelled', 'canceled'),
  false
);

-- Whether the interval of the requirement decides. It needs the date of the last assessment. The latest possible day is
-- enough if the interval has passed even since then.
create macro staging.is_by_interval(today, every_months, performed_on, is_dated) as
  coalesce(every_months is not null and (is_dated or performed_on + to_months(every_months) < today), false);

-- Whether an approval without a date may be the later one, where the interval has passed since the last one with a date.
create macro staging.is_perhaps_later(today, every_months, by_interval, is_dated, next_due, undated_on) as
  coalesce(by_interval and is_dated and next_due < today and undated_on + to_months(every_months) >= today, false);

create macro staging.next_due(today, every_months, performed_on, is_dated, due_date) as if(
  staging.is_by_interval(today, every_months, performed_on, is_dated),
  (performed_on + to_months(every_months))::date,
  due_date
);

-- Where one property stands with one type of assessment on a day. Only an approved assessment makes it green.
create macro staging.standing(today, due_soon_days, by_interval, performed_on, is_dated, next_due, is_perhaps_later) as case
  when performed_on is null then if(next_due < today, 'never done, overdue', 'never done')
  when next_due is null then 'no date'
  when next_due >= today + due_soon_days + 1 then if(by_interval, 'valid', 'scheduled')
  when next_due >= today then if(by_interval, 'expiring', 'due')
  when is_perhaps_later then 'perhaps later'
  when by_interval then 'expired'
  when is_dated and performed_on >= next_due then 'done since'
  else 'overdue'
end;

-- The state that people read. Green needs one complete read of the assessments and the schedules.
create macro staging.compliance_state(standing, is_read) as case
  when standing in ('expired', 'overdue', 'never done, overdue') then 'out of date'
  when not is_read then 'unknown'
  when standing in ('expiring', 'due') then 'due soon'
  when standing in ('valid', 'scheduled') then 'in date'
  else 'unknown'
end;

-- Where it would stand with another interval. If a shorter one may apply, and the assessment is too old for it, nobody
-- can tell whether it is in date.
create macro staging.undecided_state(state, today, every_months, performed_on, is_dated) as if(
  state in ('in date', 'due soon')
    and coalesce(staging.is_by_interval(today, every_months, performed_on, is_dated) and performed_on + to_months(every_months) < today, false),
  'unknown',
  state
);

-- Why, in words. A run that saw an approval come is no proof of the day of the assessment, so the words differ.
create macro staging.compliance_reason(standing, every_months, performed_on, is_dated, date_source, next_due, is_read) as concat(
  case
    when performed_on is null then 'no approved assessment'
    when is_dated and date_source = 'first seen approved' then strftime(performed_on, 'first seen approved on %-d %B %Y')
    when is_dated then strftime(performed_on, 'last assessed on %-d %B %Y')
    else strftime(performed_on, 'approved on %-d %B %Y or before, the date is not known')
  end,
  case
    when standing in ('expired', 'perhaps later', 'valid', 'expiring') then concat(', required every ', every_months, if(every_months = 1, ' month', ' months'))
    when standing in ('overdue', 'scheduled', 'due', 'never done, overdue') then strftime(next_due, ', due on %-d %B %Y by its schedule')
    when standing = 'done since' then strftime(next_due, ', after the due date of its schedule, %-d %B %Y')
    when next_due is not null then strftime(next_due, '; due on %-d %B %Y by its schedule')
    when standing = 'never done' then ' and no due date'
    when every_months is not null then ', so its interval cannot be counted'
    else ', and nothing says when it is due again'
  end,
  if(is_read or standing not in ('valid', 'scheduled', 'expiring', 'due'), '', '; propsync has not read the API completely yet')
);

-- An approval that the API showed once is no evidence, but a reason that leaves it out would be false.
create macro staging.lapsed_reason(performed_on, lapsed_on, is_dated, why) as if(
  lapsed_on is null,
  '',
  concat(
    case when performed_on is null then '; one' when is_dated then '; a later one' else '; another one' end,
    if(
      is_dated,
      strftime(lapsed_on, ' of %-d %B %Y was approved, but '),
      strftime(lapsed_on, ' without a date was approved on %-d %B %Y or before, but ')
    ),
    why
  )
);

-- How soon a schedule is due.
create macro staging.due_band(today, due_date) as case
  when due_date is null then 'no due date'
  when due_date < today then 'overdue'
  when due_date <= today + 30 then 'due in 30 days'
  when due_date <= today + 60 then 'due in 60 days'
  when due_date <= today + 90 then 'due in 90 days'
  else 'later'
end;

-- Whether the date of an approval is known: the assessment states it, or propsync saw the approval come after its first
-- complete read. Of earlier approvals nobody knows how old they are.
create macro staging.is_dated(date_source, approved_at, first_read_at) as
  coalesce(date_source not like 'first %' or approved_at > first_read_at, false);

create macro staging.days_overdue(today, due_date) as case
  when due_date < today then (today - due_date)::integer
  when due_date is not null then 0
end;

-- How completely the assessments and the schedules were read, which both decide: the worse verdict of the two rows.
create macro staging.verdict_of_both(verdict) as if(
  count(verdict) = 2,
  max_by(verdict, list_position(['certified', 'agreed', 'incomplete', 'failed'], verdict)),
  'not read'
);
