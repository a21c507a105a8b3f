-- why: a line hides a field or type under an earlier name too
select exists (from history.asset_types where contains(lower(payload::varchar), lower({{name}})))
  or exists (from history.assessment_types where contains(lower(payload::varchar), lower({{name}})))
