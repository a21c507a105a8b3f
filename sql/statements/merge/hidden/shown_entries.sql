-- why: entries of a flag's history have columns for their own members
select unnest(from_json({{entries}}, '["JSON"]')) as payload from ({{flags}})
