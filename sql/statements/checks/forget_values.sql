-- why: each check is compared with its last run
delete from ops.check_values where list_contains($names, check_name)
