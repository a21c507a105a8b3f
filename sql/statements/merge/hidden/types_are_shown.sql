-- why: a type that the tables show must go from all of history before anything is published
select
  exists (from history.asset_types where list_contains($ids, asset_type_id))
  or exists (from history.assessment_types where list_contains($ids, assessment_type_id))
  or exists (from history.schedules where list_contains($ids, assessment_type_id))
  or exists (from main.assets where list_contains($ids, asset_type_id))
  or exists (from main.assessments where list_contains($ids, assessment_type_id))
