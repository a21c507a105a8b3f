-- why: what a check found stays until the check runs again
delete from ops.checks where list_contains($names, check_name)
