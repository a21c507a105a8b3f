-- why: people name assessment types by their names or their ids
select assessment_type_id, name from main.assessment_types
