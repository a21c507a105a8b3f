-- why: people's lists have no history: those of today count for every day, so other lists change every count. Names of types
-- have a history, so a rename changes none, unless the names under [desk.measures] mean other types since
with listed as (
  select hash(property_id, region, homes) as row_hash from staging.listed_properties
  union all
  select hash(property_id, assessment_type_id, every_months) from staging.required where source = 'list'
  union all
  select hash(property_id, assessment_type_id, lacking, every_months, is_required) from staging.undecided_requirements
  union all
  select hash(measure, since, assessment_type_id) from staging.chosen_types
)
select concat_ws(' ', count(*), sum(row_hash)) from listed
