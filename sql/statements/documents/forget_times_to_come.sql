-- why: after a clock that was ahead, propsync would ask for no such document until that time comes
update main.documents
set
  asked_at = if(asked_at > $latest, null, asked_at),
  due_at = if(asked_at > $latest, least(due_at, $now), due_at),
  verified_at = if(verified_at > $latest, null, verified_at)
where asked_at > $latest or verified_at > $latest
