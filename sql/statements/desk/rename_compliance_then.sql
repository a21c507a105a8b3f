-- why: as in compliance_days, types have their present names in every row
update marts.compliance_then as stood
set assessment_type = types.name
from main.assessment_types as types
where types.assessment_type_id = stood.assessment_type_id and stood.assessment_type is distinct from types.name
