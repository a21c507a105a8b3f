-- why: the doctor names fields that may be about people; a hidden one is not among them
select distinct label from asset_type_fields order by label
