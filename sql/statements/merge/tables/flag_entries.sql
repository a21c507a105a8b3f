-- why: entries of a flag's history have columns for their own members
select unnest(staging.listed_entries({{entries}})) as payload from staging.flag_payloads
