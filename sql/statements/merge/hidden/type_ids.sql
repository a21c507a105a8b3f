-- why: a line names a type by its id, its name or its singular name
select asset_type_id, name, name_singular from main.asset_types
union all
select assessment_type_id, name, null from main.assessment_types
