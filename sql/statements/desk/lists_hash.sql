-- why: people's lists have no history: those of today count for every day, so other lists change every count. Names of types
-- have a history, so a rename changes none, unless the names under [desk.measures] mean other types since. The properties of the
-- API have a history too, so they are in no part of this
with listed as (
  select hash(property_id, region, homes, managed_from, managed_until) as row_hash from staging.listed_properties
  union all
  select hash(line, assessment_type_id, property_id, column_name, every_months) from staging.stated_requirements
  union all
  select hash(line, property_id, is_true) from staging.condition_matches
  union all
  select hash(measure, since, assessment_type_id) from staging.chosen_types
)
select concat_ws(' ', count(*), sum(row_hash)) from listed
