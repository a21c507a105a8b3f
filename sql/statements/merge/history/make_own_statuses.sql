-- why: the statuses that records have themselves beat those of their lists
create or replace table staging.own_statuses (place bigint, own_status varchar)
