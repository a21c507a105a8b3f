-- why: a warning names the nearest type
select name from main.asset_types
union
select name from main.assessment_types
