-- why: a check of people's own whose file is gone says nothing any more, and most runs have none
select
  exists (from ops.checks where not list_contains($names, check_name))
  or exists (from ops.check_values where not list_contains($names, check_name))
