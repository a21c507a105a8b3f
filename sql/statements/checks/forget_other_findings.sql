-- why: findings of a check that is gone would stay for good
delete from ops.checks where not list_contains($names, check_name)
