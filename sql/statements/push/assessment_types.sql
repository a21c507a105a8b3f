-- why: people name a type of assessment by its id or by its name
select assessment_type_id, name, is_listed from assessment_types
