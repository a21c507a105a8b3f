-- grain: measure, since
-- why: the rules of the measures, as sql/measures has them
with rules as (
  select unnest($measure_rules) as rule
)
select
  rule.measure,
  rule.title,
  rule.since::date as since,
  rule.names,
  rule.other_names,
  rule.rule,
  rule.source,
  rule.chosen::varchar[] as chosen
from rules
