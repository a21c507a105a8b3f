-- why: an id that looks like one that Excel changed is right if the API has it
select property_id from main.assets
union
select property_id from main.assessments
union
select property_id from main.schedules
