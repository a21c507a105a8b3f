-- why: a day before today has no counts yet, or has counts by other lists, settings or SQL
select exists (from staging.counted_days where is_known and ends_at is not null)
