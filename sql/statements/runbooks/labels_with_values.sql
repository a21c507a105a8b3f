-- why: the doctor names fields and members that may be about people; a hidden one is not among them
select distinct label from asset_type_fields
union
select concat(table_name, '.', source) from ops.columns
where table_schema = 'main' and table_name in ('assets', 'assessments', 'schedules')
order by all
