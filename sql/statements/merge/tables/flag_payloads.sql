-- why: flags have columns for their own members
select payload from staging.flag_payloads
