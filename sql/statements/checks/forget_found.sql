-- why: a check's findings stay until the check runs again
delete from ops.checks where list_contains($names, check_name)
