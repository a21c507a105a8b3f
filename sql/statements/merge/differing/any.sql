-- why: an unchanged table needs neither a write nor another copy among what is published
select exists (from staging.differing)
