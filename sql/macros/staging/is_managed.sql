-- Whether people manage a property on a day, by the first and the last day in their list. Without a day that side is open, and
-- so is a property that no list has.
create macro staging.is_managed(day, managed_from, managed_until) as
  coalesce(managed_from <= day, true) and coalesce(managed_until >= day, true);
